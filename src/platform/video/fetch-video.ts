// Downloads a video from a URL into a file.

import { downloadPublic } from '../../http-client/public-fetch.ts';
import { limits } from '../../limits.ts';
import type { Proxies } from '../../network/proxies.ts';

export interface FetchVideoOptions {
  /** Lets URLs reach a host that is not public, for example a camera server. */
  readonly isAllowedHost?: (host: string) => boolean;
  readonly proxies?: Proxies | undefined;
  /** Told of each piece before it is written; what it throws ends the download. */
  readonly wrote: (bytes: number) => Promise<void>;
}

/** Into a new file at `path`, at most `limits.videoBytesMax`. Throws as `downloadPublic`. */
export async function fetchVideo(
  url: string,
  path: string,
  signal: AbortSignal,
  { isAllowedHost, proxies, wrote }: FetchVideoOptions,
): Promise<void> {
  await downloadPublic(url, path, {
    signal,
    bytesMax: limits.videoBytesMax,
    idleMs: limits.videoSilenceMsMax,
    wrote,
    proxies,
    ...(isAllowedHost && { isAllowedHost }),
  });
}

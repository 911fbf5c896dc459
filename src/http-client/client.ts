// The client of the services: call(operation, arguments), downloads and uploads.

import type { Clock } from '../clock.ts';
import type { HandleInProcess } from '../contract/in-process.ts';
import type { Answer, Host, Input, Operation } from '../contract/operation.ts';
import type { Proxies } from '../network/proxies.ts';
import type { RetryOptions } from '../network/retry.ts';
import type { Secret } from '../secret.ts';
import type { OnShare } from '../work-watcher.ts';

/** A service: its URL and the credential for it. */
export interface Upstream {
  /** Origin and base path, without a slash at the end. */
  readonly url: string;
  readonly credential: Secret | undefined;
  /** An access token goes into the header alone, also where an API key goes into the query. */
  readonly isAccessToken?: boolean;
  /** What helps where the access token is refused; left out: to sign in again on this machine. */
  readonly refusedHint?: string;
  /** Answers in place of `url`: a service of this process, which is called without HTTP. */
  readonly handle?: HandleInProcess;
  /**
   * Another credential after one was refused with 401; undefined if there is none. Called once
   * per call.
   */
  renew?(refused: Secret, signal: AbortSignal): Promise<Secret | undefined>;
}

type FindUpstream = () => Promise<Upstream>;

/**
 * Found or started when the first call needs it; asked again for each call. Without `local`, the
 * embedded platform is `base`.
 */
export type Upstreams = Readonly<Record<Exclude<Host, 'local' | 'serverless'>, FindUpstream>> & {
  readonly local?: FindUpstream;
  /** Without it, models run at `base`. */
  readonly serverless?: FindUpstream;
};

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Deadline of the whole call, all attempts together, in milliseconds. */
  readonly timeoutMs?: number;
  /** Told how many bytes of the files of the body are on their way, of how many. */
  readonly onSent?: (bytes: number, total: number) => void;
  /** Told which share of the work a service of this process has done. */
  readonly onShare?: OnShare;
}

export interface Reply<O extends Operation> {
  readonly status: number;
  readonly body: Answer<O>;
  /** Above 0: the age of a cached response, because another request would be too early. */
  readonly ageMs: number;
}

export interface Downloaded {
  readonly bytes: number;
  readonly contentType: string | undefined;
}

export interface FetchedImage {
  readonly data: Uint8Array;
  /** For example `image/jpeg`. */
  readonly mimeType: string;
}

export interface Client {
  /** Calls an operation. Throws a FoveaError; what the service said is in its `upstream`. */
  call<O extends Operation>(
    operation: O,
    input: Input<O>,
    options?: CallOptions,
  ): Promise<Reply<O>>;
  /** Fetches a link that a service gave, with no credential of ours, into a new file at `path`. */
  download(link: string, path: string, options?: DownloadOptions): Promise<Downloaded>;
  /**
   * Fetches a small image that a service linked to, without any credential, into memory.
   * Throws as `download`; `too_large` beyond what fits into a result.
   */
  fetchImage(link: string, options?: CallOptions): Promise<FetchedImage>;
  /**
   * PUTs a file to a link that a service gave, without any credential. Throws as `download`; also
   * `conflict` where a file is there already.
   */
  upload(link: string, source: UploadSource, options: UploadOptions): Promise<void>;
  /** Closes all sockets. */
  close(): Promise<void>;
}

/** What is sent: `open` gives exactly so many bytes, from the first on. */
export interface UploadSource {
  readonly bytes: number;
  open(): AsyncIterable<Uint8Array>;
}

export interface UploadOptions extends CallOptions {
  readonly contentType: string;
}

export interface DownloadOptions extends CallOptions {
  /** The link is an address below the URL of the Event Store, which is sent its credential. */
  readonly fromDevice?: boolean;
  readonly onProgress?: (bytes: number, total: number | undefined) => void;
}

export interface ClientOptions extends RetryOptions {
  readonly upstreams: Upstreams;
  readonly clock: Clock;
  /** Deadline of a call that names none, in milliseconds. */
  readonly timeoutMs: number;
  /** Those of the settings; undefined: everything is reached directly. */
  readonly proxies?: Proxies | undefined;
  /** Permits a link for downloads that would be refused, for example to a private address. */
  readonly isAllowedLink?: (link: URL) => boolean;
  /** Largest answer and download in bytes; those of `limits` when left out. */
  readonly answerBytesMax?: number;
  readonly downloadBytesMax?: number;
}

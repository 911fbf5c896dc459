// Thumbnails by signed links, rendered at the first request.

import type { Clock } from '../../clock.ts';
import { runFor } from '../../current-caller.ts';
import { FoveaError } from '../../errors.ts';
import { clientNetwork } from '../../http-server/client-address.ts';
import type { Route } from '../../http-server/handlers.ts';
import { safeHeaders } from '../../http-server/responses.ts';
import { limits } from '../../limits.ts';
import { LruCache } from '../../lru-cache.ts';
import { Semaphore } from '../../semaphore.ts';
import type { BlobStore } from '../../storage/blob-store.ts';
import type { DownloadLinks } from '../signed-links/download-links.ts';

export interface ThumbnailDependencies {
  readonly links: DownloadLinks;
  readonly clock: Clock;
}

/**
 * A link on `origin` to a thumbnail: a JPEG whose longer side has at most `limits.thumbSide`
 * pixels, as stored (the EXIF orientation is not applied, as with boxes). It works without a
 * credential for one to two hours, and stays the same for an hour, so that browsers cache it.
 */
export function thumbnailLink(
  { links, clock }: ThumbnailDependencies,
  origin: string,
  hash: string,
): string {
  const hours = Math.floor(clock.now() / limits.linkLifetimeMs);
  const expires = String((hours + 2) * limits.linkLifetimeMs);
  const signature = links.key.sign('thumb', [hash, expires]);
  return `${origin}/thumbs/${hash}?${new URLSearchParams({ expires, signature })}`;
}

/** Serves thumbnails to requests with a valid link. */
export function thumbnailRoute(
  dependencies: ThumbnailDependencies & { readonly blobs: BlobStore },
): Route<never> {
  const { links, clock, blobs } = dependencies;
  const cached = createThumbnailCache(limits.thumbsRememberedBytesMax);
  const renderings = new Semaphore({
    permitsMax: limits.thumbsAtOnceMax,
    callerPermitsMax: limits.thumbsOfCallerMax,
  });
  const make = (hash: string, network: string) => {
    const caller = { name: network };
    const render = () => runFor(caller, async () => renderThumbnail(await blobs.get(hash)));
    return renderings.run(render, { caller });
  };
  return {
    method: 'GET',
    path: '/thumbs/{hash}',
    open: true,
    handle: async (request, response, { hash = '' }) => {
      const { searchParams } = new URL(request.url ?? '', 'http://localhost');
      const expires = searchParams.get('expires') ?? '';
      const signature = searchParams.get('signature') ?? '';
      const isOurs = links.key.isSigned('thumb', [hash, expires], signature);
      if (!isOurs || Number(expires) <= clock.now()) throw notValid();
      const bytes = await cached(hash, () => make(hash, clientNetwork(request)));
      response.writeHead(200, {
        ...safeHeaders,
        'cache-control': `private, max-age=${limits.linkLifetimeMs / 1000}, immutable`,
        'content-type': 'image/jpeg',
        'content-length': bytes.length,
        'content-security-policy': "default-src 'none'; sandbox",
        'cross-origin-resource-policy': 'same-origin',
      });
      response.end(request.method === 'HEAD' ? undefined : bytes);
    },
  };
}

function notValid(): FoveaError {
  return new FoveaError('forbidden', 'This link is not valid, or not any more.', {
    hint: 'Ask for a new link with the operation that gave it.',
  });
}

/** Loads the decoder with the first thumbnail. */
async function renderThumbnail(image: Uint8Array): Promise<Uint8Array> {
  const { decodeSmall, encodeImage } = await import('../../imaging/image-thread-pool.ts');
  const small = await decodeSmall(image, limits.thumbSide, 1);
  return (await encodeImage(small.image)).bytes;
}

type ThumbnailCache = (key: string, make: () => Promise<Uint8Array>) => Promise<Uint8Array>;

/** Concurrent requests for one image share its rendering. Forgets all when it is idle. */
function createThumbnailCache(bytesMax: number): ThumbnailCache {
  const cache = new LruCache<string, Uint8Array>({
    weightMax: bytesMax,
    weightOf: ({ length }) => length,
  });
  const making = new Map<string, Promise<Uint8Array>>();
  const idle = setTimeout(() => cache.clear(), limits.thumbsRememberedMsMax).unref();
  const makeAndKeep = async (key: string, make: () => Promise<Uint8Array>) => {
    const bytes = await make();
    cache.set(key, bytes);
    return bytes;
  };
  return async (key, make) => {
    idle.refresh();
    const found = cache.get(key);
    if (found !== undefined) return found;
    const running = making.get(key) ?? makeAndKeep(key, make).finally(() => making.delete(key));
    making.set(key, running);
    return running;
  };
}

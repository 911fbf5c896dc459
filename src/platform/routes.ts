// What the platform serves beside its operations: the bytes behind its links, and its health.

import { FoveaError } from '../errors.ts';
import type { Route } from '../http-server/handlers.ts';
import { sendContent } from '../http-server/send-content.ts';
import type { BlobStore } from '../storage/blob-store.ts';
import type { Links } from './links.ts';
import type { Principal } from './principal.ts';

/** Images and exports, for whoever holds a link that is still good. */
export function blobRoute(blobs: BlobStore, links: Links): Route<Principal> {
  return {
    method: 'GET',
    path: '/blobs/{hash}',
    open: true,
    handle: async (request, response, { hash = '' }) => {
      const { searchParams } = new URL(request.url ?? '', 'http://localhost');
      const target = links.read(hash, searchParams);
      if (target === undefined) {
        throw new FoveaError('forbidden', 'This link is not valid, or not any more.', {
          hint: 'Ask for a new link with the operation that gave it.',
        });
      }
      const { name, contentType } = target;
      await sendContent(response, {
        contentType,
        filename: name,
        bytes: await blobs.size(hash),
        open: () => blobs.open(hash),
      });
    },
  };
}

/** For whoever waits until the service answers. */
export const healthRoute: Route<Principal> = {
  method: 'GET',
  path: '/health',
  open: true,
  handle: async (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"status":"ok"}');
  },
};

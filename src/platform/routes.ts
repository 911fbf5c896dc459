// Routes beside the operations: downloads, thumbnails, health, the web page, the API document.

import type { Clock } from '../clock.ts';
import { FoveaError } from '../errors.ts';
import type { Route } from '../http-server/handlers.ts';
import { attachment, redirectTo, sendContent } from '../http-server/send-content.ts';
import type { BlobStore } from '../storage/blob-store.ts';
import type { Principal } from './access-control/authorization.ts';
import { docsRoutes } from './api-docs.ts';
import { type DatabaseChecks, healthRoute } from './health-route.ts';
import { thumbnailRoute } from './images/thumbnails.ts';
import { type PageAccounts, pageAccountRoutes } from './page-accounts.ts';
import { pageRoutes } from './page-routes.ts';
import type { DownloadLinks } from './signed-links/download-links.ts';

export interface RouteDependencies extends PageAccounts, DatabaseChecks {
  readonly blobs: BlobStore;
  readonly links: DownloadLinks;
  readonly clock: Clock;
}

/** All routes but uploads. */
export function platformRoutes(dependencies: RouteDependencies): readonly Route<Principal>[] {
  return [
    blobRoute(dependencies.blobs, dependencies.links),
    thumbnailRoute(dependencies),
    healthRoute(dependencies),
    ...pageRoutes(),
    ...pageAccountRoutes(dependencies),
    ...docsRoutes(),
  ];
}

/** Serves images and exports to requests with a valid link. */
function blobRoute(blobs: BlobStore, links: DownloadLinks): Route<Principal> {
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
      // Pages show images of this origin alone, and the links of programs may not lead elsewhere.
      const isImage = contentType.startsWith('image/');
      const as = { contentType, disposition: attachment(name) };
      const elsewhere =
        isImage || request.method !== 'GET' ? undefined : await blobs.link(hash, as);
      if (elsewhere !== undefined) return redirectTo(response, elsewhere);
      await sendContent(response, {
        contentType,
        filename: name,
        bytes: await blobs.size(hash),
        open: () => blobs.open(hash),
        openRange: (range) => blobs.openRange(hash, range),
      });
    },
  };
}

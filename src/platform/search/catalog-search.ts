// Searches the catalog: the public projects of all workspaces of this platform.

import { isoTime } from '../../clock.ts';
import type { search } from '../../contract/search.ts';
import type { Handlers } from '../../http-server/handlers.ts';
import { imageContentTypes } from '../../imaging/image-format.ts';
import type { Principal } from '../access-control/authorization.ts';
import type { PlatformDependencies } from '../dependencies.ts';
import type { DownloadLinks } from '../signed-links/download-links.ts';
import type { CatalogProject } from '../store/catalog.ts';
import { describeQueryImage, similarityNotes } from './query-image.ts';

type Catalog = Pick<typeof search, 'catalog_search' | 'catalog_search_by_image'>;

export function catalogHandlers({
  store,
  links,
  clock,
  descriptors,
}: PlatformDependencies): Handlers<Catalog, Principal> {
  const { catalog } = store.search;
  return {
    catalog_search: async ({ q, type, limit = 12, page = 1 }, { principal, origin }) => {
      const request = { q, type, limit, page, now: clock.now() };
      const { total, projects } = await catalog.search(principal.workspace.id, request);
      const results = projects.map((project) => describeProject(project, links, origin));
      return { results, total, page };
    },
    catalog_search_by_image: async ({ image_base64 }, { principal, origin, signal }) => {
      const descriptor = await describeQueryImage(image_base64, 'image_base64');
      const isDescribed = await descriptors.areComplete('public', signal);
      const { total, projects } = await catalog.like(principal.workspace.id, descriptor);
      return {
        results: projects.map(({ similarity = 0, ...project }) => ({
          ...describeProject(project, links, origin),
          similarity: Math.round(similarity * 10_000) / 10_000,
        })),
        total,
        page: 1,
        notes: [...similarityNotes(isDescribed)],
      };
    },
  };
}

/** A public project as the API shows it. */
function describeProject(found: CatalogProject, links: DownloadLinks, origin: string) {
  const { workspace, project, name, type, classes, images, license, cover, models } = found;
  const { latestVersion, updated } = found;
  const thumbnail =
    cover === undefined
      ? null
      : links.make(origin, {
          hash: cover.hash,
          name: cover.name,
          contentType: imageContentTypes[cover.format],
        });
  return {
    workspace,
    project,
    name,
    type,
    images,
    thumbnail,
    url: `${origin}/${encodeURIComponent(workspace)}/${encodeURIComponent(project)}`,
    classes: [...classes],
    annotationThumbnail: null,
    license: license ?? null,
    stars: 0,
    views: 0,
    downloads: 0,
    modelCount: models.length,
    latestVersion: latestVersion ?? null,
    updated: isoTime(updated),
  };
}

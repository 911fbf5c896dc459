// Search in the catalog: the public projects of all workspaces of this platform.

import { isoTime } from '../../clock.ts';
import { projectTypes } from '../../contract/projects.ts';
import type { search } from '../../contract/search.ts';
import { invalidArgument } from '../../errors.ts';
import type { Handlers } from '../../http-server/handlers.ts';
import { imageContentTypes } from '../../pictures/image-file.ts';
import type { Links } from '../links.ts';
import type { Parts } from '../parts.ts';
import type { Principal } from '../principal.ts';
import type { CatalogProject } from '../store/catalog.ts';
import { type CatalogSort, kindFilter, matchWords, parseCatalogQuery } from './catalog-query.ts';
import { describeSent, likenessNote } from './likeness.ts';
import { quoted } from './query-text.ts';

type Catalog = Pick<typeof search, 'catalog_search' | 'catalog_search_by_image'>;

export function catalogHandlers({ store, links, clock }: Parts): Handlers<Catalog, Principal> {
  return {
    catalog_search: async ({ q, type, limit = 12, page = 1 }, { origin }) => {
      const { words, tags, filters, sort } = parseCatalogQuery(q);
      const all = type === undefined ? filters : [...filters, readType(type)];
      const now = clock.now();
      const found = (await store.search.catalog.list(tags))
        .map((project) => ({ project, points: matchWords(project, words) }))
        .filter(({ project, points }) => points > 0 && all.every((fits) => fits(project, now)))
        .toSorted(
          (a, b) =>
            (sort ? compareBy(sort, a.project, b.project) : b.points - a.points) ||
            compareBy('images', a.project, b.project) ||
            compareBy('name', a.project, b.project),
        );
      const shown = found.slice((page - 1) * limit, page * limit);
      const results = shown.map(({ project }) => describeProject(project, links, origin));
      return { results, total: found.length, page };
    },
    catalog_search_by_image: async ({ image_base64 }, { origin }) => {
      const descriptor = await describeSent(image_base64, 'image_base64');
      const best = await store.search.catalog.like(descriptor);
      const found = (await store.search.catalog.list([]))
        .flatMap((project) => {
          const similarity = best.get(project.id);
          return similarity === undefined ? [] : [{ project, similarity }];
        })
        .toSorted((a, b) => b.similarity - a.similarity);
      return {
        results: found.slice(0, resultsByImage).map(({ project, similarity }) => ({
          ...describeProject(project, links, origin),
          similarity: Math.round(similarity * 10_000) / 10_000,
        })),
        total: found.length,
        page: 1,
        notes: [likenessNote],
      };
    },
  };
}

const resultsByImage = 12;

function readType(type: string) {
  const filter = kindFilter(type.toLowerCase());
  if (filter) return filter;
  const known = ['dataset', 'model', 'classification', ...projectTypes].join(', ');
  throw invalidArgument('type', `there is no type ${quoted(type)}; use ${known}`);
}

function compareBy(sort: CatalogSort, a: CatalogProject, b: CatalogProject): number {
  switch (sort) {
    case 'images':
      return b.images - a.images;
    case 'updated':
      return b.updated - a.updated;
    case 'name': {
      const [first, second] = [a.name.toLowerCase(), b.name.toLowerCase()];
      return first < second ? -1 : Number(first > second);
    }
    default:
      // Nobody counts stars, views and downloads here.
      return 0;
  }
}

/** A public project as the API shows it. */
function describeProject(found: CatalogProject, links: Links, origin: string) {
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
    ...{ workspace, project, name, type, images, thumbnail },
    url: `${origin}/${encodeURIComponent(workspace)}/${encodeURIComponent(project)}`,
    classes: [...classes],
    annotationThumbnail: null,
    license: license ?? null,
    ...{ stars: 0, views: 0, downloads: 0 },
    modelCount: models.length,
    latestVersion: latestVersion ?? null,
    updated: isoTime(updated),
  };
}

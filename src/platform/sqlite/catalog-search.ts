// A page of a search in the catalog.

import { projectTypes } from '../../contract/projects.ts';
import { invalidArgument } from '../../errors.ts';
import {
  type CatalogSort,
  kindFilter,
  matchWords,
  parseCatalogQuery,
} from '../../query-language/catalog-query.ts';
import { quoted } from '../../query-language/query-text.ts';
import type { Database } from '../../storage/database.ts';
import type { CatalogPage, CatalogProject, CatalogRequest } from '../store/catalog.ts';
import { listCatalog } from './catalog.ts';

/** Throws `invalid_input` for a query, or a type, that is none. */
export function searchCatalog(
  database: Database,
  { q, type, limit, page, now }: CatalogRequest,
): CatalogPage {
  const { words, tags, filters, sort } = parseCatalogQuery(q);
  const all = type === undefined ? filters : [...filters, readType(type)];
  const found = listCatalog(database, tags)
    .map((project) => ({ project, points: matchWords(project, words) }))
    .filter(({ project, points }) => points > 0 && all.every((fits) => fits(project, now)))
    .toSorted(
      (a, b) =>
        (sort ? compareBy(sort, a.project, b.project) : b.points - a.points) ||
        compareBy('images', a.project, b.project) ||
        compareBy('name', a.project, b.project),
    );
  const shown = found.slice((page - 1) * limit, page * limit);
  return { total: found.length, projects: shown.map(({ project }) => project) };
}

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

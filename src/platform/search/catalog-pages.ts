// A page of what is looked for in the catalog.

import { projectTypes } from '../../contract/projects.ts';
import { invalidArgument } from '../../errors.ts';
import type { Database } from '../../storage/database.ts';
import { type CatalogProject, listCatalog } from '../store/catalog.ts';
import { type CatalogSort, kindFilter, matchWords, parseCatalogQuery } from './catalog-query.ts';
import { quoted } from './query-text.ts';

export interface CatalogRequest {
  readonly q: string;
  readonly type: string | undefined;
  readonly limit: number;
  /** From 1. */
  readonly page: number;
  /** Milliseconds since 1970. */
  readonly now: number;
}

export interface CatalogPage {
  /** How many projects are found in all. */
  readonly total: number;
  /** `similarity`, 0 to 1, where likeness was asked for. */
  readonly projects: readonly (CatalogProject & { readonly similarity?: number })[];
}

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

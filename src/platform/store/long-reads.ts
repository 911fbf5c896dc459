// The reads that look through all of a project or of a workspace: a thread of their own does them.

import type { Descriptor } from '../../imaging/descriptor.ts';
import type { Query, SearchRequest } from '../../query-language/query.ts';
import type { NameKind } from '../search/missing-names.ts';
import type { CatalogPage, CatalogRequest } from './catalog.ts';
import { likeInCatalog } from './catalog.ts';
import { searchCatalog } from './catalog-pages.ts';
import type { Index } from './evaluate.ts';
import type { FoundImage } from './found-images.ts';
import {
  type InferenceStats,
  type InferenceTotals,
  readStats,
  readTotals,
  type StatsWindow,
} from './inference-stats.ts';
import { countProjects, measureProject } from './projects.ts';
import {
  countFound,
  type FoundId,
  findImages,
  findLike,
  foundIds,
  foundRows,
  type LikePage,
  type LikeRequest,
  listNames,
  type Oldest,
  type Reach,
  type SearchPage,
} from './search.ts';
import type { ProjectCounts, ProjectHealth } from './store.ts';

/** What each of them is asked. All of it goes to another thread, and is plain data. */
interface Questions {
  readonly find: [reach: Reach, request: SearchRequest];
  readonly ids: [reach: Reach, query: Query, oldest: Oldest];
  readonly found: [reach: Reach, query: Query, oldest: Oldest];
  readonly count: [reach: Reach, query: Query];
  readonly names: [reach: Reach, kind: NameKind];
  readonly like: [reach: Reach, request: LikeRequest];
  readonly catalog: [request: CatalogRequest];
  readonly catalogLike: [descriptor: Descriptor];
  readonly stats: [window: StatsWindow];
  readonly totals: [window: StatsWindow];
  readonly counts: [projectIds: readonly string[]];
  readonly health: [projectId: string];
}

/** And what it answers. */
interface Answers {
  readonly find: SearchPage;
  readonly ids: readonly FoundId[];
  readonly found: readonly FoundImage[];
  readonly count: number;
  readonly names: readonly string[] | undefined;
  readonly like: LikePage;
  readonly catalog: CatalogPage;
  readonly catalogLike: CatalogPage;
  readonly stats: InferenceStats | undefined;
  readonly totals: InferenceTotals | undefined;
  readonly counts: readonly ProjectCounts[];
  readonly health: ProjectHealth;
}

export type ReadName = keyof Questions;
export type ReadAnswer<Name extends ReadName> = Answers[Name];

/** One of them with what it is asked. */
export type Question<Name extends ReadName = ReadName> = {
  readonly [Key in Name]: { readonly name: Key; readonly asked: Questions[Key] };
}[Name];

const reads: {
  readonly [Name in ReadName]: (index: Index, ...asked: Questions[Name]) => Answers[Name];
} = {
  find: findImages,
  ids: foundIds,
  found: foundRows,
  count: countFound,
  names: listNames,
  like: findLike,
  catalog: ({ database }, request) => searchCatalog(database, request),
  catalogLike: ({ database }, descriptor) => likeInCatalog(database, descriptor),
  stats: ({ database }, window) => readStats(database, window),
  totals: ({ database }, window) => readTotals(database, window),
  counts: ({ database }, projectIds) => countProjects(database, projectIds),
  health: ({ database }, projectId) => measureProject(database, projectId),
};

/** Does one of them on one state of the database: others may write meanwhile. */
export function doRead<Name extends ReadName>(
  index: Index,
  { name, asked }: Question<Name>,
): ReadAnswer<Name> {
  const { database } = index;
  database.run('SAVEPOINT long_read');
  try {
    return reads[name](index, ...asked);
  } finally {
    database.run('RELEASE long_read');
  }
}

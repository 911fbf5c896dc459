// Long reads: queries over a whole project or workspace. They run in threads, so that no other call
// waits for them.

import type { ClassChange } from '../../../annotations/class-change.ts';
import { type ErrorCode, FoveaError, type Problem } from '../../../errors.ts';
import type { Descriptor } from '../../../imaging/similarity-descriptor.ts';
import type { Query, SearchRequest } from '../../../query-language/query-syntax-tree.ts';
import type { WorkWatcher } from '../../../work-watcher.ts';
import type { CatalogPage, CatalogRequest } from '../../store/catalog.ts';
import type { AffectedLabels, WantedImages } from '../../store/class-changes.ts';
import type { NearestPage, NearestRequest } from '../../store/embeddings.ts';
import type { InferenceStats, InferenceTotals, StatsWindow } from '../../store/inference-stats.ts';
import type {
  FindingsPage,
  NearDuplicates,
  ProjectCounts,
  ProjectHealth,
  WantedFindings,
} from '../../store/projects.ts';
import type {
  AccessibleProjects,
  FoundId,
  FoundImage,
  NameKind,
  Oldest,
  SearchPage,
  SimilarityPage,
  SimilarityRequest,
} from '../../store/search.ts';
import type { DiffPage, VersionDiff } from '../../store/version-diff.ts';
import type { EventPage, EventQuery, MetadataFields } from '../../store/vision-events.ts';

export interface LongReads {
  /**
   * `asker`: the workspace for whom it is; those of one workspace take turns. Throws as the read
   * does, `invalid_input` for one that takes too long or too much memory, and `rate_limited` where
   * too many of this workspace wait. Where the signal aborts the read ends, with its reason.
   */
  read<Name extends ReadName>(
    asker: string,
    question: Question<Name>,
    watcher?: WorkWatcher,
  ): Promise<ReadAnswer<Name>>;
  /** What runs is given up. */
  close(): Promise<void>;
}

/** The input of each read: plain data, as it goes to another thread. */
export interface Questions {
  readonly find: [accessible: AccessibleProjects, request: SearchRequest];
  readonly ids: [accessible: AccessibleProjects, query: Query, oldest: Oldest];
  readonly found: [accessible: AccessibleProjects, query: Query, oldest: Oldest];
  readonly count: [accessible: AccessibleProjects, query: Query];
  readonly names: [accessible: AccessibleProjects, kind: NameKind];
  readonly like: [accessible: AccessibleProjects, request: SimilarityRequest];
  readonly nearest: [accessible: AccessibleProjects, request: NearestRequest];
  readonly catalog: [request: CatalogRequest];
  readonly catalogSimilar: [descriptor: Descriptor];
  readonly stats: [window: StatsWindow];
  readonly totals: [window: StatsWindow];
  readonly counts: [projectIds: readonly string[]];
  readonly health: [projectId: string];
  readonly nearDuplicates: [projectId: string];
  readonly findings: [projectId: string, wanted: WantedFindings];
  readonly versionDiff: [fromId: string, toId: string, page: DiffPage];
  readonly events: [workspaceId: string, query: EventQuery];
  readonly metadataFields: [workspaceId: string, useCaseId: string];
  readonly affectedLabels: [projectId: string, change: ClassChange];
  readonly classChangeImages: [wanted: WantedImages];
}

/** The result of each read. */
export interface Answers {
  readonly find: SearchPage;
  readonly ids: readonly FoundId[];
  readonly found: readonly FoundImage[];
  readonly count: number;
  readonly names: readonly string[] | undefined;
  readonly like: SimilarityPage;
  readonly nearest: NearestPage;
  readonly catalog: CatalogPage;
  readonly catalogSimilar: CatalogPage;
  readonly stats: InferenceStats | undefined;
  readonly totals: InferenceTotals | undefined;
  readonly counts: readonly ProjectCounts[];
  readonly events: EventPage;
  readonly metadataFields: MetadataFields;
  readonly health: ProjectHealth;
  readonly nearDuplicates: NearDuplicates;
  readonly findings: FindingsPage;
  readonly versionDiff: VersionDiff;
  readonly affectedLabels: AffectedLabels;
  readonly classChangeImages: readonly string[];
}

export type ReadName = keyof Questions;

/** Those that read the search index. */
export type SearchName =
  | 'find'
  | 'ids'
  | 'found'
  | 'count'
  | 'names'
  | 'like'
  | 'nearest'
  | 'catalog'
  | 'catalogSimilar';

export type ReadAnswer<Name extends ReadName> = Answers[Name];

/** A read with its input. */
export type Question<Name extends ReadName = ReadName> = {
  readonly [Key in Name]: { readonly name: Key; readonly asked: Questions[Key] };
}[Name];

export interface ReadThreadData {
  /** Of the database. */
  readonly path: string;
}

export type FromReadThread<Name extends ReadName = ReadName> =
  | { readonly kind: 'ready' }
  | ShareDone
  | { readonly kind: 'read'; readonly answer: ReadAnswer<Name> }
  | FailedRead;

/** Told before the answer. */
export interface ShareDone {
  readonly kind: 'share';
  readonly share: number;
}

export interface FailedRead {
  readonly kind: 'failed';
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string | undefined;
  readonly problems: readonly Problem[];
}

/** For a read that takes too long or too much memory. */
export function tooMuch(): FoveaError {
  const message = 'This looks through more than one call may: it was given up.';
  return new FoveaError('invalid_input', message, {
    hint: 'Narrow it: fewer words with *, one project, a smaller page, or a shorter time.',
  });
}

/** For one read too many of a workspace. */
export function tooManyWaiting(): FoveaError {
  return new FoveaError('rate_limited', 'Too many searches of this workspace wait already.', {
    retryAfterSeconds: 1,
    hint: 'Wait for their answers, and send fewer at a time.',
  });
}

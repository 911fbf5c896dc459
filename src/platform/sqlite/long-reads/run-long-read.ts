// Runs a long read on a database.

import { findSimilarInCatalog, searchCatalog } from '../catalog.ts';
import { listFindings } from '../findings.ts';
import { readStats, readTotals } from '../inference-stats.ts';
import { findNearDuplicates } from '../near-duplicates.ts';
import { countProjects, measureProject } from '../projects.ts';
import { countFound, findImages, findSimilar, foundIds, foundRows, listNames } from '../search.ts';
import type { Index } from '../search-index/evaluate-query.ts';
import { diffVersions } from '../version-diff.ts';
import { findEvents, readMetadataFields } from '../vision-event-queries.ts';
import type {
  Answers,
  LongReads,
  Question,
  Questions,
  ReadAnswer,
  ReadName,
} from './long-reads.ts';

const reads: {
  readonly [Name in ReadName]: (index: Index, ...asked: Questions[Name]) => Answers[Name];
} = {
  find: findImages,
  ids: foundIds,
  found: foundRows,
  count: countFound,
  names: listNames,
  like: findSimilar,
  catalog: ({ database }, request) => searchCatalog(database, request),
  catalogSimilar: ({ database }, descriptor) => findSimilarInCatalog(database, descriptor),
  stats: ({ database }, window) => readStats(database, window),
  totals: ({ database }, window) => readTotals(database, window),
  counts: ({ database }, projectIds) => countProjects(database, projectIds),
  health: ({ database }, projectId) => measureProject(database, projectId),
  nearDuplicates: ({ database }, projectId) => findNearDuplicates(database, projectId),
  findings: ({ database }, projectId, wanted) => listFindings(database, projectId, wanted),
  versionDiff: ({ database }, fromId, toId, page) => diffVersions(database, fromId, toId, page),
  events: ({ database }, workspaceId, query) => findEvents(database, workspaceId, query),
  metadataFields: ({ database }, workspaceId, useCaseId) =>
    readMetadataFields(database, workspaceId, useCaseId),
};

/** Does one of them on one state of the database: others may write meanwhile. */
export function runLongRead<Name extends ReadName>(
  index: Index,
  { name, asked }: Question<Name>,
): ReadAnswer<Name> {
  const { database } = index;
  return database.readingOneState(() => reads[name](index, ...asked));
}

/** Runs in the calling thread, which blocks all other requests. */
export function readInThisThread(index: Index): LongReads {
  return {
    read: async (_asker, question) => runLongRead(index, question),
    close: async () => {},
  };
}

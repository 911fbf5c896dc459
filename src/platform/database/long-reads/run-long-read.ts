// Runs a long read on a database.

import {
  type AsyncReader,
  asAsyncReader,
  type OpenAsyncDatabase,
} from '../../../storage/async-database.ts';
import type { WorkWatcher } from '../../../work-watcher.ts';
import type { ImageIndex } from '../../store/image-index.ts';
import { findSimilarInCatalog, searchCatalog } from '../catalog.ts';
import { readAffected, readImagesLeft } from '../class-change-reads.ts';
import { KeptComparisons } from '../comparisons/kept-comparisons.ts';
import { listFindings } from '../findings.ts';
import { readStats, readTotals } from '../inference-stats.ts';
import { findNearDuplicates } from '../near-duplicates.ts';
import { countProjects, measureProject } from '../projects.ts';
import {
  countFound,
  findImages,
  findNearest,
  findSimilar,
  foundIds,
  foundRows,
  listNames,
} from '../search.ts';
import { bitSlicedImageIndex } from '../search-index/bit-sliced-image-index.ts';
import { type Index, type SearchBounds, searchBounds } from '../search-index/evaluate-query.ts';
import { diffVersions } from '../version-diff.ts';
import { findEvents, readMetadataFields } from '../vision-event-queries.ts';
import type {
  Answers,
  LongReads,
  Question,
  Questions,
  ReadAnswer,
  ReadName,
  SearchName,
} from './long-reads.ts';

/** How some reads are done on rows. */
type RowReads = {
  readonly [Name in Exclude<ReadName, SearchName>]: (
    rows: AsyncReader,
    ...asked: Questions[Name]
  ) => Promise<Answers[Name]>;
};

/**
 * Those that need no search index, on any engine; `vectors` has how images look. What comparisons
 * find is kept as long as this is: it is for one database.
 */
export function rowReads(
  { vectors }: Pick<ImageIndex, 'vectors'>,
  kept: KeptComparisons = new KeptComparisons(),
  watcher: WorkWatcher = {},
): RowReads {
  const index = { vectors, kept, watcher };
  return {
    stats: readStats,
    totals: readTotals,
    counts: countProjects,
    health: (rows, projectId) => measureProject(rows, index, projectId),
    nearDuplicates: (rows, projectId) => findNearDuplicates(rows, index, projectId),
    findings: (rows, projectId, wanted) => listFindings(rows, index, projectId, wanted),
    versionDiff: diffVersions,
    events: findEvents,
    metadataFields: readMetadataFields,
    affectedLabels: readAffected,
    classChangeImages: readImagesLeft,
  };
}

/** Where a read finds what it reads: both in one state of the database. */
interface Place {
  readonly index: Index;
  readonly onRows: <T>(read: (rows: AsyncReader) => Promise<T>) => Promise<T>;
}

/** With the search index: many small reads, that wait for nothing. */
function inIndex<Asked extends readonly unknown[], Answer>(
  read: (index: Index, ...asked: Asked) => Answer,
) {
  return async ({ index }: Place, ...asked: Asked): Promise<Answer> =>
    index.database.readingOneState(() => read(index, ...asked));
}

function onRows<Asked extends readonly unknown[], Answer>(
  read: (rows: AsyncReader, ...asked: Asked) => Promise<Answer>,
) {
  return (place: Place, ...asked: Asked): Promise<Answer> =>
    place.onRows((rows) => read(rows, ...asked));
}

type Reads = {
  readonly [Name in ReadName]: (place: Place, ...asked: Questions[Name]) => Promise<Answers[Name]>;
};

const indexReads: Pick<Reads, SearchName> = {
  find: inIndex(findImages),
  ids: inIndex(foundIds),
  found: inIndex(foundRows),
  count: inIndex(countFound),
  names: inIndex(listNames),
  like: inIndex(findSimilar),
  nearest: inIndex(findNearest),
  catalog: inIndex(({ database }, request) => searchCatalog(database, request)),
  catalogSimilar: inIndex(({ database }, look) => findSimilarInCatalog(database, look)),
};

function readsOfDatabase(watcher?: WorkWatcher): Reads {
  const ofRows = rowReads(bitSlicedImageIndex, new KeptComparisons(), watcher);
  return {
    ...indexReads,
    stats: onRows(ofRows.stats),
    totals: onRows(ofRows.totals),
    counts: onRows(ofRows.counts),
    health: onRows(ofRows.health),
    nearDuplicates: onRows(ofRows.nearDuplicates),
    findings: onRows(ofRows.findings),
    versionDiff: onRows(ofRows.versionDiff),
    events: onRows(ofRows.events),
    metadataFields: onRows(ofRows.metadataFields),
    affectedLabels: onRows(ofRows.affectedLabels),
    classChangeImages: onRows(ofRows.classChangeImages),
  };
}

/** Does them, one after the other, on a connection that nobody else uses meanwhile. */
export function longReadsOn(index: Index, watcher?: WorkWatcher) {
  const { database } = index;
  const rows = asAsyncReader(database);
  const place: Place = {
    index,
    onRows: (read) => database.readingOneStateAsync(() => read(rows)),
  };
  const reads = readsOfDatabase(watcher);
  return <Name extends ReadName>({ name, asked }: Question<Name>): Promise<ReadAnswer<Name>> =>
    reads[name](place, ...asked);
}

/** Runs in the calling thread, which blocks all other requests. */
export function readInThisThread(
  database: OpenAsyncDatabase,
  bounds: SearchBounds = searchBounds,
): LongReads {
  const place: Place = {
    index: { database: database.reader, bounds },
    onRows: async (read) => {
      const snapshot = await database.snapshot();
      try {
        return await read(snapshot);
      } finally {
        await snapshot.close();
      }
    },
  };
  const reads = readsOfDatabase();
  return {
    read: async (_asker, { name, asked }) => reads[name](place, ...asked),
    close: async () => {},
  };
}

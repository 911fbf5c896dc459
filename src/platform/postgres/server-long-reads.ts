// Long reads of a platform on PostgreSQL: the server does their work, each in one state.

import type { AsyncDatabase, AsyncReader } from '../../storage/async-database.ts';
import type { WorkWatcher } from '../../work-watcher.ts';
import { comparisonThreads } from '../database/comparisons/comparison-threads.ts';
import { KeptComparisons } from '../database/comparisons/kept-comparisons.ts';
import type {
  Answers,
  LongReads,
  Questions,
  ReadName,
  SearchName,
} from '../database/long-reads/long-reads.ts';
import { rowReads } from '../database/long-reads/run-long-read.ts';
import { ConsistentReads } from './consistent-reads.ts';
import { findSimilarInCatalog, searchCatalog } from './search-index/catalog.ts';
import {
  countFound,
  findImages,
  findNearest,
  findSimilar,
  foundIds,
  foundRows,
  listNames,
} from './search-index/search-images.ts';
import { serverImageIndex } from './search-index/server-image-index.ts';

type Reads = {
  readonly [Name in ReadName]: (
    reader: AsyncReader,
    ...asked: Questions[Name]
  ) => Promise<Answers[Name]>;
};

const searches: Pick<Reads, SearchName> = {
  find: findImages,
  ids: foundIds,
  found: foundRows,
  count: countFound,
  names: listNames,
  like: findSimilar,
  nearest: findNearest,
  catalog: searchCatalog,
  catalogSimilar: findSimilarInCatalog,
};

/** A statement of a read may take `msMax`. Images are compared in threads of this machine. */
export function readOnServer(database: Pick<AsyncDatabase, 'snapshot'>, msMax?: number): LongReads {
  const states = new ConsistentReads(database, msMax);
  const threads = comparisonThreads();
  const kept = new KeptComparisons(threads.compare);
  const readsFor = (watcher: WorkWatcher): Reads => ({
    ...searches,
    ...rowReads(serverImageIndex, kept, watcher),
  });
  return {
    read: (asker, { name, asked }, watcher = {}) =>
      states.read(asker, (reader) => readsFor(watcher)[name](reader, ...asked), watcher.signal),
    close: async () => {
      states.close();
      await threads.close();
    },
  };
}

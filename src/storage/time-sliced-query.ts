// Reads long query results in time slices, so that other requests are served in between.

import { systemClock } from '../clock.ts';
import { limits } from '../limits.ts';
import type { AsyncReader } from './async-database.ts';
import type { Row, SqlParameters } from './database.ts';
import { yieldToEventLoop } from './yield-to-event-loop.ts';

export interface SlicedQuery<Item> {
  /** The rows after a position, in a total order. */
  readonly sql: string;
  /** Its parameters for the rows after `last`, or for all rows. */
  readonly after: (last: Item | undefined) => SqlParameters;
  readonly read: (row: Row) => Item;
}

/**
 * The rows of a query in slices of `databaseSliceMsMax`, each read when it is asked for; others are
 * served between them. Rows that are written meanwhile may or may not be seen, except in a
 * snapshot; the position of a row must not change.
 */
export async function* slicesOf<Item>(
  database: Pick<AsyncReader, 'each'>,
  { sql, after, read }: SlicedQuery<Item>,
): AsyncGenerator<readonly Item[]> {
  let last: Item | undefined;
  let isTimeUp = false;
  do {
    await yieldToEventLoop();
    const items: Item[] = [];
    // On a server, what comes before the first row is a wait that holds up nobody.
    let endMs: number | undefined;
    isTimeUp = false;
    await database.each(sql, after(last), (row) => {
      endMs ??= systemClock.monotonic() + limits.databaseSliceMsMax;
      items.push(read(row));
      isTimeUp = systemClock.monotonic() >= endMs;
      return !isTimeUp;
    });
    yield items;
    last = items.at(-1);
  } while (isTimeUp);
}

/** Gives `take` one slice after the other. */
export async function readInSlices<Item>(
  database: Pick<AsyncReader, 'each'>,
  query: SlicedQuery<Item>,
  take: (items: readonly Item[]) => void | Promise<void>,
): Promise<void> {
  for await (const items of slicesOf(database, query)) await take(items);
}

/** All rows of a query, read in slices. */
export async function readAllInSlices<Item>(
  database: Pick<AsyncReader, 'each'>,
  query: SlicedQuery<Item>,
): Promise<readonly Item[]> {
  const all: Item[] = [];
  await readInSlices(database, query, (items) => {
    for (const item of items) all.push(item);
  });
  return all;
}

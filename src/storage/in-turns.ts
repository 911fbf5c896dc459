// Long answers of a database in parts, so that others are served in between.

import { setImmediate } from 'node:timers/promises';
import { systemClock } from '../clock.ts';
import { limits } from '../limits.ts';
import type { Database, Row, SqlParameters } from './database.ts';

export interface LongQuery<Item> {
  /** Rows behind a place, in an order that has no two rows at one place. */
  readonly sql: string;
  /** Its parameters: those of the rows behind `last`, or of all rows. */
  readonly after: (last: Item | undefined) => SqlParameters;
  readonly read: (row: Row) => Item;
}

/**
 * Gives `take` the rows of a query in parts that are read in `databaseTurnMsMax`, with a turn for
 * others behind each. What these write meanwhile is seen or not, but for a snapshot, which has one
 * state; the place of a row does not change.
 */
export async function inTurns<Item>(
  database: Pick<Database, 'each'>,
  { sql, after, read }: LongQuery<Item>,
  take: (items: readonly Item[]) => void,
): Promise<void> {
  let last: Item | undefined;
  let isTimeUp = false;
  do {
    await nextTurn();
    const items: Item[] = [];
    const endMs = systemClock.monotonic() + limits.databaseTurnMsMax;
    isTimeUp = false;
    database.each(sql, after(last), (row) => {
      items.push(read(row));
      isTimeUp = systemClock.monotonic() >= endMs;
      return !isTimeUp;
    });
    take(items);
    last = items.at(-1);
  } while (isTimeUp);
}

let turns: Promise<void> = Promise.resolve();

/** One part of all long answers at a time: with many of them, others wait no longer. */
function nextTurn(): Promise<void> {
  turns = turns.then(() => setImmediate());
  return turns;
}

/** All rows of a query, read in turns. */
export async function allInTurns<Item>(
  database: Pick<Database, 'each'>,
  query: LongQuery<Item>,
): Promise<readonly Item[]> {
  const all: Item[] = [];
  await inTurns(database, query, (items) => {
    for (const item of items) all.push(item);
  });
  return all;
}

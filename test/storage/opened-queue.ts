// An empty queue for the tests of each engine.

import type { AsyncDatabase } from '../../src/storage/async-database.ts';
import type { Migration } from '../../src/storage/migrations.ts';
import { taskParts } from '../../src/storage/task-parts.ts';
import { createTaskQueue, type TaskQueue } from '../../src/storage/task-queue.ts';
import {
  taskErrorCodes,
  taskFairness,
  taskTable,
  taskTurns,
  taskWaits,
} from '../../src/storage/task-tables.ts';
import { settableClock } from '../fixtures/settable-clock.ts';

/** A row for each time that work was done, so that a second time shows. */
const doneTable: Migration = {
  name: 'done',
  sql: 'CREATE TABLE done (name TEXT NOT NULL) STRICT',
};

/** The tables of the suite. */
export const taskMigrations: readonly Migration[] = [
  taskTable,
  doneTable,
  taskErrorCodes,
  taskFairness,
  taskParts,
  taskTurns,
  taskWaits,
];

export interface Opened {
  readonly database: AsyncDatabase;
  /** Another connection to the same tables. */
  readonly openAgain: () => Promise<AsyncDatabase>;
}

export type OpenWork = () => Promise<{
  readonly clock: ReturnType<typeof settableClock>;
  readonly database: AsyncDatabase;
  readonly openAgain: Opened['openAgain'];
  readonly work: TaskQueue;
  readonly countDone: () => Promise<number | undefined>;
  readonly writeDone: () => Promise<number>;
}>;

/** On what `open` gives: an empty database with `taskMigrations`. */
export const openWorkOn: (open: () => Promise<Opened>) => ReturnType<OpenWork> = async (open) => {
  const { database, openAgain } = await open();
  const clock = settableClock();
  const work = createTaskQueue(database, { clock, owner: 'this' });
  const countDone = () =>
    database.get('SELECT count(*) AS n FROM done', [], (row) => row.integer('n'));
  const writeDone = () => database.run("INSERT INTO done (name) VALUES ('x')");
  return { clock, database, openAgain, work, countDone, writeDone };
};

// What the tests of group commit write.

import type { Migration } from '../../src/storage/migrations.ts';

export interface NumberCommand {
  readonly number: number;
  /** What goes wrong: before it writes, after it wrote, or with the whole thread. */
  readonly end?: 'refuse' | 'break' | 'die';
}

export interface NumberOutcome {
  readonly number: number;
  /** Which transaction of the thread it was, counted from 1. */
  readonly transaction: number;
}

export const numberTable: Migration = {
  name: 'numbers',
  sql: 'CREATE TABLE numbers (number INTEGER PRIMARY KEY, time INTEGER NOT NULL) STRICT',
};

// By how many migrations the schema of a SQLite file was made, read without bringing it up to date.

import { limits } from '../limits.ts';
import { openToRead } from './database.ts';

/** Throws as those who open it to read. */
export function readSchemaVersion(file: string): number {
  const reader = openToRead(file, { busyMsMax: limits.moveWaitMs });
  try {
    return reader.get('PRAGMA user_version', [], (row) => row.integer('user_version')) ?? 0;
  } finally {
    reader.close();
  }
}

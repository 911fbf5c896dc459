// Translates the errors of SQLite.

import { FoveaError } from '../errors.ts';

/** Runs SQLite calls; what SQLite throws leaves as a FoveaError, with the original as its cause. */
export function translated<T>(call: () => T): T {
  try {
    return call();
  } catch (thrown) {
    const code = resultCode(thrown);
    if (code === undefined) throw thrown;
    throw storageError(code, thrown);
  }
}

/** Whether an error says that another connection holds the lock that we need. */
export function isBusy(thrown: unknown): boolean {
  const code = resultCode(thrown instanceof FoveaError ? thrown.cause : thrown);
  return code === resultCodes.busy || code === resultCodes.locked;
}

/** Whether an error says that the file itself is bad. */
export function isDamage(thrown: unknown): boolean {
  const code = resultCode(thrown instanceof FoveaError ? thrown.cause : thrown);
  return code === resultCodes.damaged || code === resultCodes.notDatabase;
}

/** Primary result codes, https://www.sqlite.org/rescode.html. */
const resultCodes = {
  busy: 5,
  locked: 6,
  readOnly: 8,
  inputOutput: 10,
  damaged: 11,
  full: 13,
  cannotOpen: 14,
  notDatabase: 26,
} as const;

/** SQLite's primary result code: the low byte of the extended one. */
function resultCode(thrown: unknown): number | undefined {
  if (!(thrown instanceof Error) || !('errcode' in thrown)) return undefined;
  return typeof thrown.errcode === 'number' ? thrown.errcode & 0xff : undefined;
}

function storageError(code: number, cause: unknown): FoveaError {
  switch (code) {
    case resultCodes.busy:
    case resultCodes.locked: {
      const message = 'Another process keeps the database locked: nothing was stored.';
      return new FoveaError('internal', message, { cause, retry: 'safe' });
    }
    case resultCodes.full:
      return new FoveaError('full', 'The disk is full: nothing was stored.', { cause });
    case resultCodes.readOnly:
      return new FoveaError('internal', 'The database cannot be written.', { cause });
    case resultCodes.inputOutput:
      return new FoveaError('internal', 'The disk failed under the database.', { cause });
    case resultCodes.cannotOpen:
      return new FoveaError('internal', 'The database file cannot be opened.', { cause });
    case resultCodes.damaged:
      return new FoveaError('internal', 'The database file is damaged.', { cause });
    case resultCodes.notDatabase:
      return new FoveaError('internal', 'The file is not a database, or is damaged.', { cause });
    default:
      return new FoveaError('internal', 'The database refused a statement.', { cause });
  }
}

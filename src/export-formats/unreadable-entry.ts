// The error for an entry of an export whose content is not to be had.

import { type ErrorCode, FoveaError, systemErrorCode } from '../errors.ts';

/** `conflict` where asking again cannot help, since it is damaged or lost; `internal` else. */
export function unreadableEntry(path: string, cause: unknown): FoveaError {
  const isDamaged = cause instanceof FoveaError && lostCodes.has(cause.code);
  if (isDamaged || systemErrorCode(cause) === 'ENOENT') {
    const remedy =
      'upload the same image again, make another version if this one changed its pixels, ' +
      'or restore a backup';
    const message = `The stored content of "${path}" is damaged or lost: ${remedy}.`;
    return new FoveaError('conflict', message, { cause });
  }
  return new FoveaError('internal', `"${path}" of the export cannot be read.`, { cause });
}

const lostCodes: ReadonlySet<ErrorCode> = new Set(['internal', 'not_found']);

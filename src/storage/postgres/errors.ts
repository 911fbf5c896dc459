// Translates the errors of PostgreSQL and of its connections.

import { FoveaError, systemErrorCode } from '../../errors.ts';
import { ServiceAway } from '../service-away.ts';

/** What `pg` threw, as a FoveaError with the original as its cause; our own errors stay. */
export function asStorageError(thrown: unknown): FoveaError {
  if (thrown instanceof FoveaError) return thrown;
  const code = codeOf(thrown);
  if (code === undefined && isWithoutTls(thrown)) return withoutTls(thrown);
  if (code === undefined || away.test(code)) {
    return outage(`The database cannot be reached${reasonOf(thrown)}.`, thrown);
  }
  if (code === heldUp) {
    return outage('A change took too long, and held up others: it was undone.', thrown);
  }
  if (changedMeanwhile.has(code)) {
    return unavailableError('Others keep changing the same rows: nothing was stored.', thrown);
  }
  if (code === timedOut) {
    return outage('The database took longer than it may: nothing was stored.', thrown);
  }
  if (isOutdatedPlan(thrown)) {
    return unavailableError('The tables of the database were changed meanwhile.', thrown);
  }
  if (code === lockTimedOut) {
    return unavailableError('Others work on the tables: they were not changed.', thrown);
  }
  if (code === noDatabase) return databaseMissing(thrown);
  const { kind, message } = meanings.get(code) ?? {
    kind: 'internal',
    message: 'The database refused a statement.',
  };
  return new FoveaError(kind, message, { cause: thrown });
}

/** Whether the same transaction, which was undone, may succeed when it is run again. */
export function isWorthAnother(thrown: unknown): boolean {
  const cause = thrown instanceof FoveaError ? thrown.cause : thrown;
  return isChangedMeanwhile(cause) || isOutdatedPlan(cause);
}

function isChangedMeanwhile(cause: unknown): boolean {
  const code = codeOf(cause);
  return code !== undefined && changedMeanwhile.has(code);
}

/** Whether it was undone since others hold what it waited for, or waits for them in a circle. */
export function isHeldUp(thrown: unknown): boolean {
  const code = codeOf(thrown);
  return code === lockTimedOut || isChangedMeanwhile(thrown);
}

/** Whether a statement took longer than it may. */
export function isTimedOut(thrown: unknown): boolean {
  return thrown instanceof FoveaError && codeOf(thrown.cause) === timedOut;
}

/** Whether it was refused because one before it in its transaction failed. */
export function isRefusedAfterFailure(thrown: unknown): boolean {
  return thrown instanceof FoveaError && codeOf(thrown.cause) === refusedAfterFailure;
}

/** Whether a statement names a table that is not there. */
export function isTableMissing(thrown: unknown): boolean {
  return codeOf(thrown) === undefinedTable;
}

/** Whether its connection cannot be used again. */
export function isConnectionLost(thrown: unknown): boolean {
  return (
    thrown instanceof FoveaError &&
    thrown.code === 'unavailable' &&
    !isChangedMeanwhile(thrown.cause)
  );
}

/**
 * https://www.postgresql.org/docs/current/errcodes-appendix.html; undefined: another one, such as
 * those of the network.
 */
function codeOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || !('code' in thrown)) return undefined;
  const { code } = thrown;
  // No class of them begins with E, as all names of the system's errors do.
  return typeof code === 'string' && /^(?!E)[0-9A-Z]{5}$/.test(code) ? code : undefined;
}

/** The name of a failure of the network or of TLS; what was said of it stays in the cause. */
function reasonOf(thrown: unknown): string {
  const name = systemErrorCode(thrown);
  return typeof name === 'string' && /^[A-Z][A-Z0-9_]+$/.test(name) ? ` (${name})` : '';
}

/** in_failed_sql_transaction. */
const refusedAfterFailure = '25P02';

const undefinedTable = '42P01';

/** lock_not_available: by `lock_timeout`. */
const lockTimedOut = '55P03';

/** query_canceled: by `statement_timeout`. */
const timedOut = '57014';

/** Of a statement that the connection keeps: a newer Fovea has changed a table. */
function isOutdatedPlan(thrown: unknown): boolean {
  return (
    thrown instanceof Error && 'routine' in thrown && thrown.routine === 'RevalidateCachedQuery'
  );
}

/** serialization_failure and deadlock_detected. */
const changedMeanwhile: ReadonlySet<string> = new Set(['40001', '40P01']);

/** Connections that are lost or too many, and a server that stops or starts. */
const away = /^(08|53300|57P0[1-5])/;

/** idle_in_transaction_session_timeout: the machine of this process had no time for it. */
const heldUp = '25P03';

const meanings: ReadonlyMap<
  string,
  { readonly kind: 'full' | 'internal' | 'invalid_input'; readonly message: string }
> = new Map([
  ['53100', { kind: 'full', message: 'The disk is full: nothing was stored.' }],
  ['22021', { kind: 'invalid_input', message: 'A text has U+0000, which cannot be stored.' }],
  ['22P05', { kind: 'invalid_input', message: 'A text has U+0000, which cannot be stored.' }],
  ['28000', { kind: 'internal', message: 'The database refuses the user of its address.' }],
  ['28P01', { kind: 'internal', message: 'The database refuses the user of its address.' }],
  ['42501', { kind: 'internal', message: 'The database user may not do that.' }],
]);

/** invalid_catalog_name. */
const noDatabase = '3D000';

function databaseMissing(thrown: unknown): FoveaError {
  const [, name] = /"([^"]+)"/.exec(thrown instanceof Error ? thrown.message : '') ?? [];
  const message = `The server has no database ${name === undefined ? 'of that name' : `"${name}"`}.`;
  const hint = 'Make it with CREATE DATABASE, or correct the name at the end of the address.';
  return new FoveaError('internal', message, { hint, cause: thrown });
}

/** `pg` says so in words alone. */
function isWithoutTls(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.message.includes('does not support SSL');
}

/** It may be back with TLS at any time. */
function withoutTls(cause: unknown): FoveaError {
  return new FoveaError('unavailable', 'The database has no TLS, which its sslmode asks for.', {
    hint: 'Turn TLS on at the server (ssl = on), or set sslmode=disable where the line is safe.',
    cause,
    retryAfterSeconds: 1,
  });
}

function outage(message: string, cause: unknown): FoveaError {
  return new ServiceAway('database', message, cause);
}

function unavailableError(message: string, cause: unknown): FoveaError {
  return new FoveaError('unavailable', message, { cause, retryAfterSeconds: 1 });
}

// oidc-provider's storage over our rows: ids hashed, payloads sealed by their ids, uses atomic.

import type { Adapter, AdapterFactory, AdapterPayload } from 'oidc-provider';
import type { Clock } from '../clock.ts';
import { membersOf } from '../json-object.ts';
import { limits } from '../limits.ts';
import { createRefreshGrace, refreshToken } from './refresh-grace.ts';
import { hashId, seal, unseal } from './sealed.ts';
import type { KeptRow, Row, Rows } from './store/store.ts';

/** What the adapter needs of a request to the token endpoint that refreshes. */
export interface Rotations {
  /** The token that the running request uses up; undefined: it uses none. */
  rotated(): string | undefined;
  /** The refresh token with which the running request is to be answered. */
  answerWith(token: string): void;
}

export interface AdapterParts {
  readonly rows: Rows;
  readonly clock: Clock;
  readonly rotations: Rotations;
  /** The metadata of a client; clients are not among the rows. */
  findClient(id: string): AdapterPayload | undefined;
  /** A session of nobody is none: the library would look for the grant of its account. */
  hasAccount(id: string): boolean;
  /** An `invalid_grant` of the library (RFC 6749 section 5.2). */
  refuse(): Error;
}

const grant = 'Grant';
const session = 'Session';
/** What ends with its grant. An Interaction names one too, but outlives it. */
const ofGrant: readonly string[] = ['AccessToken', 'AuthorizationCode', refreshToken];
const sweepGapMs = 60_000;

/** The kinds of rows are the names of the library's models. */
export function createAdapters(parts: AdapterParts): AdapterFactory {
  const { rows, clock, findClient } = parts;
  const withAccount = (kind: string, row: KeptRow | undefined) =>
    kind === session && row?.accountId !== undefined && !parts.hasAccount(row.accountId)
      ? undefined
      : row;
  const grace = createRefreshGrace(rows, clock);
  let nextSweep = 0;
  /** Whoever makes many rows pays for the removal of as many. */
  const sweep = () => {
    if (clock.now() < nextSweep) return;
    const before = Math.floor(clock.now() / 1_000) - limits.oauthLifetimes.codeSeconds;
    if (!rows.removeExpired(before)) nextSweep = clock.now() + sweepGapMs;
  };
  return (kind): Adapter => ({
    upsert: async (id, payload, expiresIn) => {
      sweep();
      const row = rowOf(kind, id, payload, expiresIn, clock);
      const old = kind === refreshToken ? parts.rotations.rotated() : undefined;
      if (old === undefined || old === id) {
        if (!rows.put(row)) throw parts.refuse();
        return;
      }
      const successor = grace.rotate(old, id, row);
      if (successor === undefined) throw parts.refuse();
      parts.rotations.answerWith(successor);
    },
    find: async (id) => {
      if (kind === 'Client') return findClient(id);
      if (kind !== refreshToken) {
        return payloadOf(id, withAccount(kind, rows.find(hashId(kind, id))));
      }
      const found = grace.current(id);
      return found && payloadOf(found.id, found.row);
    },
    findByUid: async (uid) =>
      sessionOf(uid, withAccount(session, rows.findByUid(hashId('uid', uid)))),
    findByUserCode: async () => undefined,
    consume: async (id) => {
      // A refresh token is used up together with the writing of its successor.
      if (kind === refreshToken || rows.consume(hashId(kind, id), clock.now())) return;
      revokeFamily(rows, rows.find(hashId(kind, id)));
      throw parts.refuse();
    },
    destroy: async (id) => {
      const hash = hashId(kind, id);
      if (kind === grant) rows.revokeGrant(hash);
      else rows.destroy(hash);
    },
    // The library asks this of each model in turn: the first question ends them all at once.
    revokeByGrantId: async (id) => rows.revokeGrant(hashId(grant, id)),
  });
}

/** The name of a grant's row. */
export function hashOfGrant(grantId: string): string {
  return hashId(grant, grantId);
}

/** What is kept under an id; undefined: nothing. Throws `internal` for a damaged row. */
export function payloadOf(id: string, row: KeptRow | undefined): AdapterPayload | undefined {
  if (row === undefined) return undefined;
  const payload: unknown = JSON.parse(unseal(row.sealed, id, 'payload'));
  const consumed = row.consumed === undefined ? {} : { consumed: Math.floor(row.consumed / 1_000) };
  return { ...membersOf(payload), ...consumed, jti: id };
}

function rowOf(
  kind: string,
  id: string,
  payload: AdapterPayload,
  expiresIn: number | undefined,
  clock: Clock,
): Row {
  const { jti: _id, ...members } = payload;
  const hash = hashId(kind, id);
  const grantHash = payload.grantId === undefined ? undefined : hashOfGrant(payload.grantId);
  const ends = Math.floor(clock.now() / 1_000) + (expiresIn ?? limits.oauthLifetimes.grantSeconds);
  return {
    hash,
    kind,
    grantHash: kind === grant ? hash : ofGrant.includes(kind) ? grantHash : undefined,
    accountId: accountOf(payload),
    clientId: payload.clientId,
    uidHash: kind === session && payload.uid ? hashId('uid', payload.uid) : undefined,
    sealed: seal(JSON.stringify(members), id, 'payload'),
    expires: payload.exp ?? ends,
  };
}

/** Of an Interaction: who has typed the password, or was signed in when it began. */
function accountOf({ accountId, result, session: begun }: AdapterPayload): string | undefined {
  return accountId ?? result?.login?.accountId ?? begun?.accountId;
}

/** A session without its id, which is its cookie: as much as the library compares. */
function sessionOf(uid: string, row: KeptRow | undefined): AdapterPayload | undefined {
  if (row === undefined) return undefined;
  const { accountId, expires } = row;
  return { kind: session, uid, exp: expires, ...(accountId !== undefined && { accountId }) };
}

/** A code that is used a second time ends what came of the first (RFC 6749 section 4.1.2). */
function revokeFamily(rows: Rows, row: KeptRow | undefined): void {
  if (row?.grantHash !== undefined) rows.revokeGrant(row.grantHash);
}

// Storage adapter for oidc-provider: ids are hashed, payloads encrypted, one-time use is atomic.

import type { Adapter, AdapterFactory, AdapterPayload } from 'oidc-provider';
import type { Clock } from '../clock.ts';
import { membersOf } from '../json-object.ts';
import { limits } from '../limits.ts';
import { createRefreshRotation, refreshToken } from './refresh-token-rotation.ts';
import { hashId, seal, unseal } from './row-encryption.ts';
import type {
  AuthorizationRow,
  AuthorizationStore,
  StoredAuthorizationRow,
} from './store/authorization-store.ts';

/** Connects the adapter to the running refresh request at the token endpoint. */
export interface Rotations {
  /** The refresh token that the running request consumes; undefined: none. */
  rotated(): string | undefined;
  /** Sets the refresh token with which the running request is answered. */
  answerWith(token: string): void;
}

export interface AdapterDependencies {
  readonly authorizations: AuthorizationStore;
  readonly clock: Clock;
  readonly rotations: Rotations;
  /** Metadata of a client; clients are not stored as authorization rows. */
  findClient(id: string): AdapterPayload | undefined;
  /** Sessions of removed accounts are not returned: the library would look for their grants. */
  hasAccount(id: string): boolean;
  /** Creates the library's `invalid_grant` error (RFC 6749 section 5.2). */
  invalidGrant(): Error;
}

const grant = 'Grant';
const session = 'Session';
/** Kinds that are revoked with their grant. An Interaction names one too, but outlives it. */
const kindsOfGrant: readonly string[] = ['AccessToken', 'AuthorizationCode', refreshToken];
const sweepGapMs = 60_000;

/** The kind of a row is the name of the library's model. */
export function createAdapters(dependencies: AdapterDependencies): AdapterFactory {
  const { authorizations, clock, findClient } = dependencies;
  const unlessAccountGone = (kind: string, row: StoredAuthorizationRow | undefined) =>
    kind === session && row?.accountId !== undefined && !dependencies.hasAccount(row.accountId)
      ? undefined
      : row;
  const rotation = createRefreshRotation(authorizations, clock);
  let nextSweep = 0;
  /** Each write removes some expired rows, so that the table stays small. */
  const sweep = () => {
    if (clock.now() < nextSweep) return;
    const before = Math.floor(clock.now() / 1_000) - limits.oauthLifetimes.codeSeconds;
    if (!authorizations.removeExpired(before)) nextSweep = clock.now() + sweepGapMs;
  };
  return (kind): Adapter => ({
    upsert: async (id, payload, expiresIn) => {
      sweep();
      const row = rowOf(kind, id, payload, expiresIn, clock);
      const old = kind === refreshToken ? dependencies.rotations.rotated() : undefined;
      if (old === undefined || old === id) {
        if (!authorizations.put(row)) throw dependencies.invalidGrant();
        return;
      }
      const successor = rotation.rotate(old, id, row);
      if (successor === undefined) throw dependencies.invalidGrant();
      dependencies.rotations.answerWith(successor);
    },
    find: async (id) => {
      if (kind === 'Client') return findClient(id);
      if (kind !== refreshToken) {
        return payloadOf(id, unlessAccountGone(kind, authorizations.find(hashId(kind, id))));
      }
      const found = rotation.current(id);
      return found && payloadOf(found.id, found.row);
    },
    findByUid: async (uid) =>
      sessionOf(uid, unlessAccountGone(session, authorizations.findByUid(hashId('uid', uid)))),
    findByUserCode: async () => undefined,
    consume: async (id) => {
      // A refresh token is consumed in the same transaction that writes its successor.
      if (kind === refreshToken || authorizations.consume(hashId(kind, id), clock.now())) return;
      revokeFamily(authorizations, authorizations.find(hashId(kind, id)));
      throw dependencies.invalidGrant();
    },
    destroy: async (id) => {
      const hash = hashId(kind, id);
      if (kind === grant) authorizations.revokeGrant(hash);
      else authorizations.destroy(hash);
    },
    // The library calls this for each model in turn; the first call revokes all of them.
    revokeByGrantId: async (id) => authorizations.revokeGrant(hashId(grant, id)),
  });
}

/** Key of a grant's row. */
export function hashGrantId(grantId: string): string {
  return hashId(grant, grantId);
}

/** The decrypted payload of a row. Throws `internal` for a damaged row. */
export function payloadOf(
  id: string,
  row: StoredAuthorizationRow | undefined,
): AdapterPayload | undefined {
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
): AuthorizationRow {
  const { jti: _id, ...members } = payload;
  const hash = hashId(kind, id);
  const grantHash = payload.grantId === undefined ? undefined : hashGrantId(payload.grantId);
  const ends = Math.floor(clock.now() / 1_000) + (expiresIn ?? limits.oauthLifetimes.grantSeconds);
  return {
    hash,
    kind,
    grantHash: kind === grant ? hash : kindsOfGrant.includes(kind) ? grantHash : undefined,
    accountId: accountOf(payload),
    clientId: payload.clientId,
    uidHash: kind === session && payload.uid ? hashId('uid', payload.uid) : undefined,
    sealed: seal(JSON.stringify(members), id, 'payload'),
    expires: payload.exp ?? ends,
  };
}

/** Of an Interaction: the account that just signed in, or was signed in when it began. */
function accountOf({ accountId, result, session: begun }: AdapterPayload): string | undefined {
  return accountId ?? result?.login?.accountId ?? begun?.accountId;
}

/** The session members that the library compares, without its id, which is the cookie. */
function sessionOf(
  uid: string,
  row: StoredAuthorizationRow | undefined,
): AdapterPayload | undefined {
  if (row === undefined) return undefined;
  const { accountId, expires } = row;
  return { kind: session, uid, exp: expires, ...(accountId !== undefined && { accountId }) };
}

/** A reused code revokes the tokens of its first use (RFC 6749 section 4.1.2). */
function revokeFamily(
  authorizations: AuthorizationStore,
  row: StoredAuthorizationRow | undefined,
): void {
  if (row?.grantHash !== undefined) authorizations.revokeGrant(row.grantHash);
}

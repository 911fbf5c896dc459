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
import type { ConnectionStore } from './store/connection-store.ts';

/** Connects the adapter to the running refresh request at the token endpoint. */
export interface Rotations {
  /** The refresh token that the running request consumes; undefined: none. */
  rotated(): string | undefined;
  /** Sets the refresh token with which the running request is answered. */
  answerWith(token: string): void;
}

export interface AdapterDependencies {
  readonly authorizations: AuthorizationStore;
  readonly connections: Pick<ConnectionStore, 'noteUse'>;
  readonly clock: Clock;
  readonly rotations: Rotations;
  /** What the library answers now; undefined: it was called by a page of ours. */
  currentRequest(): object | undefined;
  /** Metadata of a client; clients are not stored as authorization rows. */
  findClient(id: string): Promise<AdapterPayload | undefined>;
  /** Creates the library's `invalid_grant` error (RFC 6749 section 5.2). */
  invalidGrant(): Error;
  /** Creates the library's error for an interaction that has ended. */
  interactionEnded(): Error;
}

const grant = 'Grant';
const accessToken = 'AccessToken';
const session = 'Session';
const interaction = 'Interaction';
/** Kinds that are revoked with their grant. An Interaction names one too, but outlives it. */
const kindsOfGrant: readonly string[] = [accessToken, 'AuthorizationCode', refreshToken];
const sweepGapMs = 60_000;

/** The kind of a row is the name of the library's model. */
export function createAdapters(dependencies: AdapterDependencies): AdapterFactory {
  const { authorizations, clock, findClient } = dependencies;
  const rotation = createRefreshRotation(authorizations, clock);
  const passwords = createPasswordMemory(dependencies);
  const sweep = createSweep(dependencies);
  return (kind): Adapter => ({
    upsert: async (id, payload, expiresIn) => {
      await sweep();
      const row = rowOf(kind, id, payload, expiresIn, clock);
      const old = kind === refreshToken ? dependencies.rotations.rotated() : undefined;
      if (old === undefined || old === id) {
        const isPut = await authorizations.put(row, passwords.of(row.accountId));
        if (!isPut) throw dependencies.invalidGrant();
        if (kind === accessToken && row.grantHash !== undefined) {
          await dependencies.connections.noteUse(row.grantHash);
        }
        return;
      }
      const successor = await rotation.rotate(old, id, row);
      if (successor === undefined) throw dependencies.invalidGrant();
      dependencies.rotations.answerWith(successor);
    },
    find: async (id) => {
      if (kind === 'Client') return findClient(id);
      if (kind === refreshToken) {
        const found = await rotation.current(id);
        return found && payloadOf(found.id, found.row);
      }
      const row = await authorizations.find(hashId(kind, id));
      if (kind === session && isOfRemovedAccount(row)) return undefined;
      if (kind === session || kind === interaction) passwords.remember(row);
      return payloadOf(id, row);
    },
    findByUid: async (uid) => {
      const row = await authorizations.findByUid(hashId('uid', uid));
      return isOfRemovedAccount(row) ? undefined : sessionOf(uid, row);
    },
    findByUserCode: async () => undefined,
    consume: async (id) => {
      // A refresh token is consumed in the same transaction that writes its successor.
      if (kind === refreshToken) return;
      const hash = hashId(kind, id);
      if (await authorizations.consume(hash, clock.now())) return;
      // A reused code revokes the tokens of its first use (RFC 6749 section 4.1.2).
      await authorizations.revokeGrantOf(hash);
      throw dependencies.invalidGrant();
    },
    destroy: async (id) => {
      const hash = hashId(kind, id);
      if (kind === grant) return authorizations.revokeGrant(hash);
      const isDestroyed = await authorizations.destroy(hash);
      // Of requests at once that go on with one interaction the first one has it.
      if (kind === interaction && !isDestroyed) throw dependencies.interactionEnded();
    },
    // The library calls this for each model in turn; the first call revokes all of them.
    revokeByGrantId: (id) => authorizations.revokeGrant(hashId(grant, id)),
  });
}

/**
 * A change of the password ends the sessions that are stored. A request that has read one before
 * would store it again: what a request writes for an account that it found signed in is written
 * only while that has the same password.
 */
function createPasswordMemory({ currentRequest }: AdapterDependencies) {
  const requests = new WeakMap<object, Map<string, string>>();
  return {
    remember(row: StoredAuthorizationRow | undefined): void {
      const request = currentRequest();
      if (!request || row?.accountId === undefined || row.password === undefined) return;
      const passwords = requests.get(request) ?? new Map<string, string>();
      requests.set(request, passwords);
      if (!passwords.has(row.accountId)) passwords.set(row.accountId, row.password);
    },
    of(accountId: string | undefined): string | undefined {
      const request = currentRequest();
      return request && accountId && requests.get(request)?.get(accountId);
    },
  };
}

/** Each write removes some expired rows, so that the table stays small. */
function createSweep({ authorizations, clock }: AdapterDependencies): () => Promise<void> {
  let next = 0;
  return async () => {
    if (clock.now() < next) return;
    next = clock.now() + sweepGapMs;
    const before = Math.floor(clock.now() / 1_000) - limits.oauthLifetimes.codeSeconds;
    if (await authorizations.removeExpired(before)) next = 0;
  };
}

/** The library would look for the grants of a session whose account was removed. */
function isOfRemovedAccount(row: StoredAuthorizationRow | undefined): boolean {
  return row?.accountId !== undefined && row.password === undefined;
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

// What the tests of the session work with: a folder, a log, tokens, and an authorization server
// that is a function over a map.

import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Clock, systemClock } from '../../src/clock.ts';
import { createLog } from '../../src/log.ts';
import { Secret } from '../../src/secret.ts';
import { type Binding, bindingName, indexFolder } from '../../src/sign-in/profile-index.ts';
import { openSecretStores } from '../../src/sign-in/secret-stores/choose-secret-store.ts';
import type { KeychainEntries } from '../../src/sign-in/secret-stores/keychain.ts';
import { createSession, type SessionOptions } from '../../src/sign-in/session.ts';
import { EndedGrant } from '../../src/sign-in/token-refresh.ts';
import { createTokenStore, type TakeLock, type Tokens } from '../../src/sign-in/token-store.ts';
import { tryLock } from '../../src/storage/file-lock.ts';
import { type SettableClock, settableClock } from '../fixtures/settable-clock.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

/** A log whose lines can be read. */
export function openLog() {
  const lines: string[] = [];
  const log = createLog('debug', (line) => lines.push(line));
  return { log, lines };
}

export const noon = Date.UTC(2026, 10, 20, 12);
export const hour = 3_600_000;

export const binding: Binding = {
  profile: 'default',
  issuer: 'http://127.0.0.1:8000',
  clientId: 'fovea',
  service: 'http://127.0.0.1:8000',
};

/** Tokens of an hour from noon on. */
export function tokensOf(name: string, changes: Partial<Tokens> = {}): Tokens {
  return {
    issuer: binding.issuer,
    clientId: binding.clientId,
    accessToken: new Secret(`access-${name}`),
    refreshToken: new Secret(`refresh-${name}`),
    expiresAt: noon + hour,
    scopes: ['openid', 'project:read'],
    workspaceUrl: 'acme',
    subject: 'user-1',
    obtainedAt: noon,
    ended: undefined,
    ...changes,
  };
}

type Setting = 'auto' | 'keychain' | 'file' | 'memory';

export interface StoreOptions {
  readonly setting?: Setting;
  readonly keychain?: KeychainEntries | undefined;
  readonly clock?: Clock;
}

/** The token store of a folder, as one process opens it, and the lock of that folder. */
export function openStore(folder: string, options: StoreOptions = {}) {
  const { setting = 'auto', keychain, clock = systemClock } = options;
  const { log, lines } = openLog();
  const load = { keychain: async () => keychain, keytar: async () => undefined };
  const stores = openSecretStores({ setting, folder, log, clock, load });
  const tokens = createTokenStore(indexFolder(folder, { log, clock }), stores);
  const takeLock: TakeLock = (whose) =>
    tryLock(join(folder, `refresh-${bindingName(whose)}.lock`), 'exclusive');
  return { tokens, takeLock, lines };
}

/** A keychain that several stores share, and whose state a test sets. */
export function fakeKeychain() {
  const kept = new Map<string, string>();
  const state = { isLocked: false, isAbsent: false, isSlow: false, calls: 0 };
  const check = async () => {
    state.calls++;
    if (state.isSlow) await nextTurn();
    if (state.isAbsent) throw new Error('absent');
    if (state.isLocked) throw new Error('locked');
  };
  const entries: KeychainEntries = {
    name: 'keychain',
    read: async (account) => {
      await check();
      return kept.get(account);
    },
    write: async (account, value) => {
      await check();
      kept.set(account, value);
    },
    remove: async (account) => {
      await check();
      kept.delete(account);
    },
    explain: (thrown) => {
      const message = thrown instanceof Error ? thrown.message : '';
      return message === 'absent' || message === 'locked' ? message : 'failed';
    },
  };
  return { entries, kept, state };
}

/** Rotates refresh tokens, and ends the family when one is used twice. */
export function fakeServer(clock: Clock) {
  let count = 0;
  let current = 'refresh-1';
  let isEnded = false;
  const seen: string[] = [];
  const gates: Promise<void>[] = [];
  return {
    /** The refresh tokens that came, in their order. */
    seen,
    /** The next refresh waits for it. */
    hold: (gate: Promise<void>) => void gates.push(gate),
    endFamily: () => {
      isEnded = true;
    },
    refresh: async (tokens: Tokens): Promise<Tokens> => {
      const presented = tokens.refreshToken?.reveal() ?? '';
      seen.push(presented);
      await gates.shift();
      if (presented !== current) isEnded = true;
      if (isEnded) throw new EndedGrant('spent');
      count++;
      current = `refresh-${count + 1}`;
      return {
        ...tokens,
        accessToken: new Secret(`access-${count + 1}`),
        refreshToken: new Secret(current),
        expiresAt: clock.now() + hour,
        obtainedAt: clock.now(),
      };
    },
  };
}

export interface Parts {
  readonly folder: string;
  readonly clock: SettableClock;
  readonly server: ReturnType<typeof fakeServer>;
}

export async function parts(): Promise<Parts> {
  const clock = settableClock();
  return { folder: await temporaryFolder(), clock, server: fakeServer(clock) };
}

export interface SessionChanges extends Partial<SessionOptions> {
  readonly store?: StoreOptions;
}

/** The session of one process. */
export function openSession(
  { folder, clock, server }: Parts,
  { store = {}, ...changes }: SessionChanges = {},
) {
  const { tokens, takeLock } = openStore(folder, { clock, ...store });
  return createSession({
    ...binding,
    tokens,
    takeLock,
    clock,
    refresh: server.refresh,
    revoke: async () => true,
    validate: async () => undefined,
    ...changes,
  });
}

export async function reveal(token: Promise<Secret | undefined>): Promise<string | undefined> {
  return (await token)?.reveal();
}

export const ended = {
  code: 'unauthenticated',
  message: 'The sign-in has ended.',
  hint: 'Call auth_sign_in, or run fovea sign-in.',
  retry: 'never',
};

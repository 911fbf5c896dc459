// The tokens of each profile, kept between runs and shared by processes: secrets in a secret store,
// the rest in the profile index.

import { randomUUID } from 'node:crypto';
import { FoveaError } from '../errors.ts';
import { Secret } from '../secret.ts';
import { type Binding, bindingName, type IndexEntry, type ProfileIndex } from './profile-index.ts';
import type { SecretStores, StoreKind } from './secret-stores/choose-secret-store.ts';
import { KeychainError } from './secret-stores/keychain.ts';
import type { SecretStore } from './secret-stores/secret-store.ts';

export interface Tokens {
  readonly issuer: string;
  readonly clientId: string;
  readonly accessToken: Secret;
  readonly refreshToken: Secret | undefined;
  /** Milliseconds since 1970; undefined: unknown. */
  readonly expiresAt: number | undefined;
  readonly scopes: readonly string[];
  readonly workspaceUrl: string | undefined;
  readonly subject: string | undefined;
  /** Milliseconds since 1970. */
  readonly obtainedAt: number;
  /** Why they cannot be refreshed any more. */
  readonly ended: 'invalid_grant' | undefined;
}

export interface Stored {
  readonly tokens: Tokens;
  /** Changes with every write. */
  readonly revision: string;
  /** Changes with every sign-in, and stays the same when tokens are refreshed. */
  readonly signInId: string;
}

/** The data of a profile outside its secrets. */
export interface ProfileSummary extends Binding {
  readonly workspaceUrl: string | undefined;
  /** For people: where its tokens are. */
  readonly store: string;
}

/** Each binding has tokens of its own: two issuers of one profile do not replace each other. */
export interface TokenStore {
  /** For people: where tokens are, or would be. Throws `internal` where they could not be kept. */
  place(binding: Binding): Promise<string>;
  /** Throws `internal` when they are there and cannot be read: that is never "signed out". */
  read(binding: Binding): Promise<Stored | undefined>;
  /** Whether `stored` belongs to the sign-in that is current, at the cost of a small file. */
  isCurrent(binding: Binding, stored: Stored): Promise<boolean>;
  /** Stores the tokens of a new sign-in in place of any others. Call it under the lock. */
  begin(binding: Binding, tokens: Tokens): Promise<Stored>;
  /**
   * Those of the same sign-in, refreshed. Undefined, and nothing written, when what is stored is
   * not `expected` any more. To be called under the lock.
   */
  replace(binding: Binding, tokens: Tokens, expected: Stored): Promise<Stored | undefined>;
  /** Removes all tokens, damaged or not. Call it under the lock. */
  remove(binding: Binding): Promise<void>;
  profiles(): Promise<readonly ProfileSummary[]>;
}

/** The lock of a binding between processes; undefined while another process has it. */
export type TakeLock = (binding: Binding) => { release(): void } | undefined;

/**
 * The secret is written before the index at a sign-in, and removed after it at a sign-out: what
 * the index names is there. A process that dies in between leaves a secret that nobody reads.
 */
export function createTokenStore(index: ProfileIndex, stores: SecretStores): TokenStore {
  return new ProfileTokens(index, stores);
}

class ProfileTokens implements TokenStore {
  readonly #index: ProfileIndex;
  readonly #stores: SecretStores;

  constructor(index: ProfileIndex, stores: SecretStores) {
    this.#index = index;
    this.#stores = stores;
  }

  async place(binding: Binding): Promise<string> {
    const entry = await this.#find(binding);
    const place = entry?.place ?? (await this.#stores.choose());
    return (await this.#stores.at(place)).name;
  }

  async read(binding: Binding): Promise<Stored | undefined> {
    let before: IndexEntry | undefined;
    for (;;) {
      const entry = await this.#find(binding);
      if (entry === undefined) return undefined;
      const store = await this.#stores.at(entry.place);
      const kept = await store.read(secretName(binding));
      if (kept !== undefined) return readRecord(binding, kept);
      // Another process may have signed out, or in again, between the two reads.
      const isSame = before?.signInId === entry.signInId && before.place === entry.place;
      if (isSame) throw damagedTokens();
      before = entry;
    }
  }

  async isCurrent(binding: Binding, { signInId }: Stored): Promise<boolean> {
    return (await this.#find(binding))?.signInId === signInId;
  }

  async begin(binding: Binding, tokens: Tokens): Promise<Stored> {
    const before = await this.#index.read(binding).catch(() => undefined);
    const place = await this.#stores.choose();
    const stored = { tokens, revision: randomUUID(), signInId: randomUUID() };
    await this.#write(binding, await this.#stores.at(place), stored);
    await this.#index.write(entryOf(binding, stored, place));
    if (before !== undefined && before.place !== place) await this.#forget(binding, before.place);
    return stored;
  }

  async replace(binding: Binding, tokens: Tokens, expected: Stored): Promise<Stored | undefined> {
    const entry = await this.#find(binding);
    const found = await this.read(binding);
    if (entry === undefined || found?.revision !== expected.revision) return undefined;
    const stored = { tokens, revision: randomUUID(), signInId: found.signInId };
    await this.#write(binding, await this.#stores.at(entry.place), stored);
    const isNoted =
      entry.signInId === stored.signInId && entry.workspaceUrl === tokens.workspaceUrl;
    if (!isNoted) await this.#index.write(entryOf(binding, stored, entry.place));
    return stored;
  }

  async remove(binding: Binding): Promise<void> {
    const entry = await this.#index.read(binding).catch(() => undefined);
    const place = entry?.place ?? (await this.#stores.choose());
    const store = await this.#stores.at(place);
    // A keychain that is locked would keep it, while the index said that there is none.
    await store.read(secretName(binding)).catch((thrown) => {
      if (thrown instanceof KeychainError) throw thrown;
    });
    await this.#index.remove(binding);
    await store.remove(secretName(binding));
  }

  async profiles() {
    const entries = await this.#index.list();
    return Promise.all(
      entries.map(async ({ profile, issuer, clientId, service, workspaceUrl, place }) => ({
        profile,
        issuer,
        clientId,
        service,
        workspaceUrl,
        store: places[place],
      })),
    );
  }

  /** A store that the setting excludes counts as empty. */
  async #find(binding: Binding): Promise<IndexEntry | undefined> {
    const entry = await this.#index.read(binding);
    return entry !== undefined && this.#stores.isAllowed(entry.place) ? entry : undefined;
  }

  async #write(binding: Binding, store: SecretStore, stored: Stored): Promise<void> {
    await store.write(secretName(binding), writeRecord(binding, stored));
  }

  /** Removes tokens from a store that is no longer used; if that fails they stay, unread. */
  async #forget(binding: Binding, place: StoreKind): Promise<void> {
    try {
      await (await this.#stores.at(place)).remove(secretName(binding));
    } catch {}
  }
}

const places: Readonly<Record<StoreKind, string>> = {
  keychain: 'keychain',
  keytar: 'keychain (keytar)',
  file: 'encrypted file',
  memory: 'memory',
};

function secretName(binding: Binding): string {
  return `tokens:${bindingName(binding)}`;
}

function entryOf(binding: Binding, { tokens, signInId }: Stored, place: StoreKind): IndexEntry {
  const { profile, issuer, clientId, service } = binding;
  const { workspaceUrl } = tokens;
  return { profile, issuer, clientId, service, workspaceUrl, place, signInId };
}

/** Only for a SecretStore: it reveals the tokens. */
function writeRecord(binding: Binding, { tokens, revision, signInId }: Stored): Secret {
  const { accessToken, refreshToken, ...rest } = tokens;
  return new Secret(
    JSON.stringify({
      version,
      binding: nameOf(binding),
      revision,
      signInId,
      tokens: {
        ...rest,
        accessToken: accessToken.reveal(),
        refreshToken: refreshToken?.reveal(),
      },
    }),
  );
}

/**
 * Throws `internal` for an invalid record, and for the record of another binding: write access to
 * the files must not redirect the tokens of one issuer to another.
 */
function readRecord(binding: Binding, kept: Secret): Stored {
  const { version: found, binding: name, revision, signInId, tokens } = members(parsed(kept));
  if (found !== version || name !== nameOf(binding)) throw damagedTokens();
  const given = members(tokens);
  const refreshToken = optionalText(given.refreshToken);
  return {
    revision: text(revision),
    signInId: text(signInId),
    tokens: {
      issuer: text(given.issuer),
      clientId: text(given.clientId),
      accessToken: new Secret(text(given.accessToken)),
      refreshToken: refreshToken === undefined ? undefined : new Secret(refreshToken),
      expiresAt: typeof given.expiresAt === 'number' ? given.expiresAt : undefined,
      scopes: texts(given.scopes),
      workspaceUrl: optionalText(given.workspaceUrl),
      subject: optionalText(given.subject),
      obtainedAt: typeof given.obtainedAt === 'number' ? given.obtainedAt : 0,
      ended: given.ended === 'invalid_grant' ? given.ended : undefined,
    },
  };
}

const version = 1;

function nameOf({ profile, issuer, clientId, service }: Binding): string {
  return JSON.stringify([profile, issuer, clientId, service]);
}

function damagedTokens(): FoveaError {
  return new FoveaError('internal', 'The tokens that were kept here are damaged or gone.', {
    hint: 'Run fovea sign-out, then sign in again.',
  });
}

function parsed(kept: Secret): unknown {
  try {
    return JSON.parse(kept.reveal());
  } catch {
    throw damagedTokens();
  }
}

function members(value: unknown): Partial<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) throw damagedTokens();
  return { ...value };
}

function text(value: unknown): string {
  if (typeof value === 'string' && value !== '') return value;
  throw damagedTokens();
}

function optionalText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function texts(value: unknown): readonly string[] {
  if (!Array.isArray(value)) throw damagedTokens();
  return value.map(text);
}

// Stores the tokens of each profile: secrets in a secret store, the rest in an index.

import { randomUUID } from 'node:crypto';
import type { SecretStores, StoreKind } from './keychains/choose-secret-store.ts';
import { KeychainError } from './keychains/keychain.ts';
import { bindingName, type IndexEntry, type ProfileIndex } from './profile-index.ts';
import type { SecretStore } from './secret-store.ts';
import { damagedTokens, readRecord, writeRecord } from './token-record.ts';
import type { Binding, Stored, TokenStore, Tokens } from './token-store.ts';

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

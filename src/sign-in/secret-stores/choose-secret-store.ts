// Chooses the store of secrets: by the setting, and by what this machine has.

import { FoveaError } from '../../errors.ts';
import { lazyStart } from '../../lazy-start.ts';
import { Secret } from '../../secret.ts';
import type { PrivateFiles } from '../private-file.ts';
import { openEncryptedFiles } from './encrypted-file.ts';
import { type KeychainEntries, KeychainError, keychainStore } from './keychain.ts';
import { loadKeytar } from './keytar.ts';
import { loadNapiKeyring } from './napi-keyring.ts';
import { memoryStore, type SecretStore } from './secret-store.ts';

/** The kind of store, recorded with a sign-in to find it again. */
export type StoreKind = 'keychain' | 'keytar' | 'file' | 'memory';

export interface SecretStores {
  /** Where secrets of a new sign-in go. Throws `internal` for a keychain that is locked. */
  choose(): Promise<StoreKind>;
  /** Whether the setting lets secrets be there. */
  isAllowed(kind: StoreKind): boolean;
  /** Throws `internal` where this machine does not have it. */
  at(kind: StoreKind): Promise<SecretStore>;
}

export interface SecretStoresOptions extends PrivateFiles {
  readonly setting: 'auto' | 'keychain' | 'file' | 'memory';
  /** Of the encrypted files. */
  readonly folder: string;
  /** For tests: other libraries in the place of the two. */
  readonly load?: Readonly<
    Record<'keychain' | 'keytar', () => Promise<KeychainEntries | undefined>>
  >;
}

/** Loads and opens nothing before it is asked. */
export function openSecretStores(options: SecretStoresOptions): SecretStores {
  const { setting } = options;
  const keychains = openKeychains(
    options.load ?? { keychain: loadNapiKeyring, keytar: loadKeytar },
  );
  const memory = memoryStore();
  const at = async (kind: StoreKind): Promise<SecretStore> => {
    if (kind === 'memory') return memory;
    if (kind === 'file') return files.get();
    const found = await keychains.at(kind);
    if (found === undefined) throw new KeychainError('absent');
    return found;
  };
  const files = lazyStart(() =>
    openEncryptedFiles({
      ...options,
      keychain: async (kind) => (isKeychain(kind) ? keychains.at(kind) : undefined),
      // A locked keychain does not prevent the use of files.
      chooseKeychain: () => keychains.working().catch(() => undefined),
    }),
  );
  const choose = lazyStart(async (): Promise<StoreKind> => {
    if (setting === 'memory' || setting === 'file') return setting;
    const found = await keychains.working();
    if (found !== undefined) return found;
    if (setting === 'auto') return 'file';
    throw new KeychainError('absent');
  });
  return {
    at,
    choose: choose.get,
    isAllowed: (kind) => {
      if (setting === 'auto') return kind !== 'memory';
      return setting === kind || (setting === 'keychain' && kind === 'keytar');
    },
  };
}

type KeychainKind = 'keychain' | 'keytar';

function isKeychain(kind: string): kind is KeychainKind {
  return kind === 'keychain' || kind === 'keytar';
}

function openKeychains(load: NonNullable<SecretStoresOptions['load']>) {
  const opened = {
    keychain: lazyStart(async () => storeOf(await load.keychain())),
    keytar: lazyStart(async () => storeOf(await load.keytar())),
  };
  const at = (kind: KeychainKind) => opened[kind].get();
  return {
    at,
    /**
     * The first keychain that works; undefined: there is none. Throws the error of one that is
     * present.
     */
    working: async (): Promise<KeychainKind | undefined> => {
      const kind = (await at('keychain')) === undefined ? 'keytar' : 'keychain';
      const store = await at(kind);
      return store !== undefined && (await works(store)) ? kind : undefined;
    },
  };
}

function storeOf(entries: KeychainEntries | undefined): SecretStore | undefined {
  return entries === undefined ? undefined : keychainStore(entries);
}

/** Reading alone proves nothing: a locked keychain may say that nothing is there. */
async function works(store: SecretStore): Promise<boolean> {
  try {
    await store.write('probe', new Secret('probe'));
    await store.read('probe');
    await store.remove('probe');
    return true;
  } catch (thrown) {
    if (thrown instanceof KeychainError && thrown.trouble === 'absent') return false;
    throw thrown instanceof FoveaError ? thrown : new KeychainError('failed', thrown);
  }
}

// A store of secrets; implementations: the keychain, an encrypted file, and memory (here).

import type { Secret } from '../../secret.ts';

/** Judged by test/sign-in/secret-store-suite.ts, each implementation alike. */
export interface SecretStore {
  /** For people, for example "keychain" or "encrypted file, key in the keychain". */
  readonly name: string;
  /**
   * Undefined: nothing is kept under that name. Throws `internal` when the store is locked or
   * damaged: that is never the same as nothing.
   */
  read(name: string): Promise<Secret | undefined>;
  /** All of it or nothing. Throws `internal`. */
  write(name: string, value: Secret): Promise<void>;
  /** A second call does nothing. */
  remove(name: string): Promise<void>;
}

export function memoryStore(): SecretStore {
  const kept = new Map<string, Secret>();
  return {
    name: 'memory',
    read: async (name) => kept.get(name),
    write: async (name, value) => void kept.set(name, value),
    remove: async (name) => void kept.delete(name),
  };
}

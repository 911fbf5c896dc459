// A store of secrets that outlives the process.

import type { Secret } from '../secret.ts';

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

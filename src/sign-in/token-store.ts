// The tokens of each profile, kept between runs and shared by processes.

import type { Secret } from '../secret.ts';

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

/** The owner of tokens: those of one authorization server are never sent to another. */
export interface Binding {
  readonly profile: string;
  readonly issuer: string;
  readonly clientId: string;
  /** The URL of the service that gets the tokens: after a change of the settings it gets none. */
  readonly service: string;
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

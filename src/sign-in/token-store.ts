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
}

/** What is known of a profile without opening its secrets. */
export interface ProfileSummary {
  readonly profile: string;
  readonly issuer: string;
  readonly workspaceUrl: string | undefined;
  readonly store: string;
}

export interface TokenStore {
  /** The name of the SecretStore. */
  readonly store: string;
  /** Only tokens of that issuer and client: others are as good as none, and stay untouched. */
  read(profile: string, issuer: string, clientId: string): Promise<Stored | undefined>;
  /**
   * False, and nothing written, when what is stored is not `expected` any more; undefined expects
   * nothing to be stored. To be called under the lock of the profile.
   */
  replace(profile: string, tokens: Tokens, expected: string | undefined): Promise<boolean>;
  /** False, and nothing removed, when what is stored is not `expected` any more. */
  remove(profile: string, expected: string): Promise<boolean>;
  profiles(): Promise<readonly ProfileSummary[]>;
}

/** A lock between processes; undefined while somebody else has it. */
export type TakeLock = (name: string) => { release(): void } | undefined;

// What the rest of Fovea knows of being signed in: a token that is good for now.

import type { Secret } from '../secret.ts';
import type { Tokens } from './token-store.ts';

export interface Session {
  /**
   * A token that is good for now; undefined: signed out. Throws `unauthenticated` once a sign-in
   * has ended, and what the authorization server's failure is otherwise.
   */
  accessToken(signal?: AbortSignal): Promise<Secret | undefined>;
  /** After a 401 for `refused`: another token, refreshed at most once; undefined: none to be had. */
  renew(refused: Secret, signal?: AbortSignal): Promise<Secret | undefined>;
  status(): Promise<SessionStatus>;
  /** Takes over the tokens of a sign-in that just ended well. */
  begin(tokens: Tokens): Promise<void>;
  /** Revokes both tokens and forgets them; `revoked` is false where that could not be done. */
  end(signal?: AbortSignal): Promise<{ readonly revoked: boolean; readonly wasSignedIn: boolean }>;
}

export interface SessionStatus {
  readonly status: 'signed_in' | 'signed_out';
  /** Milliseconds since 1970. */
  readonly expiresAt: number | undefined;
  readonly scopes: readonly string[];
  readonly workspaceUrl: string | undefined;
  /** The name of the SecretStore. */
  readonly store: string;
  readonly profile: string;
  /** Why it is signed out, where that is not by choice. */
  readonly error: string | undefined;
}

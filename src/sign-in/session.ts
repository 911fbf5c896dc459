// A session: what the rest of Fovea uses of a sign-in.

import type { Clock } from '../clock.ts';
import type { ValidateAnswer } from '../contract/access-token.ts';
import type { Secret } from '../secret.ts';
import type { TakeLock, TokenStore, Tokens } from './token-store.ts';

export interface Session {
  /**
   * A token that is good for now; undefined: signed out. Throws `unauthenticated` once a sign-in
   * has ended, and what the authorization server's failure is otherwise.
   */
  accessToken(signal?: AbortSignal): Promise<Secret | undefined>;
  /** After a 401 for `refused`: another token, refreshed once at most; undefined: there is none. */
  renew(refused: Secret, signal?: AbortSignal): Promise<Secret | undefined>;
  /** The subject of the tokens; undefined: signed out, or the service gave no proof. */
  subject(signal?: AbortSignal): Promise<string | undefined>;
  /** Throws `internal` where tokens could not be kept: before a person signs in for nothing. */
  ready(): Promise<void>;
  status(): Promise<SessionStatus>;
  /** Takes over the tokens of a sign-in that just ended well. */
  begin(tokens: Tokens): Promise<void>;
  /** Revokes both tokens and forgets them; `revoked` is false where that could not be done. */
  end(signal?: AbortSignal): Promise<{ readonly revoked: boolean; readonly wasSignedIn: boolean }>;
}

/** Whose tokens are in use, in words that prove nothing. */
export interface Account {
  /** Stays the same for all sign-ins of one person, where the service proved the identity. */
  readonly person: string;
  /** Changes with each sign-in. */
  readonly signIn: string;
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

export interface SessionOptions {
  readonly tokens: TokenStore;
  readonly takeLock: TakeLock;
  readonly clock: Clock;
  readonly profile: string;
  readonly issuer: string;
  readonly clientId: string;
  /** The address of the service that gets the tokens. */
  readonly service: string;
  /**
   * RFC 6749 section 6. Throws EndedGrant for invalid_grant, a FoveaError otherwise. What the
   * answer leaves out stays as it was, the refresh token too.
   */
  readonly refresh: (tokens: Tokens, signal: AbortSignal) => Promise<Tokens>;
  /** RFC 7009, both tokens; false where that could not be done. */
  readonly revoke: (tokens: Tokens, signal: AbortSignal) => Promise<boolean>;
  /** `/oauth/validate`; undefined: this service has no such address. */
  readonly validate: (token: Secret, signal: AbortSignal) => Promise<ValidateAnswer | undefined>;
}

/** `invalid_grant` (RFC 6749 section 5.2): the refresh token is spent, revoked or too old. */
export class EndedGrant extends Error {
  override readonly name = 'EndedGrant';
}

// The sign-in flow, as tools and commands use it.

import type { SessionStatus } from './session.ts';

export interface SignInFlow {
  /** Starts a sign-in, or returns the pending one. Does not wait for the person. */
  start(): Promise<StartedSignIn>;
  /** Waits for the pending sign-in. Throws its failure. */
  finished(signal: AbortSignal): Promise<void>;
  /** The final address, pasted by a person whose browser cannot reach the callback. */
  finishWith(address: string): Promise<void>;
  /** Only https and loopback addresses, without a shell; false: no browser here. */
  openBrowser(url: string): boolean;
  status(): Promise<SignInStatus>;
  signOut(
    signal?: AbortSignal,
  ): Promise<{ readonly revoked: boolean; readonly wasSignedIn: boolean }>;
  /** OpenID Connect Core section 5.3. */
  userinfo(signal?: AbortSignal): Promise<Readonly<Record<string, unknown>>>;
  /** Ends a sign-in that is under way. */
  close(): Promise<void>;
}

export type StartedSignIn =
  | {
      readonly status: 'signed_in';
      readonly workspaceUrl: string | undefined;
      readonly why: 'api_key' | 'embedded' | 'tokens';
    }
  | {
      readonly status: 'pending';
      readonly authorizationUrl: string;
      /** False: it was under way already. */
      readonly isNew: boolean;
    };

export interface SignInStatus extends Omit<SessionStatus, 'status'> {
  readonly status: 'signed_in' | 'signed_out' | 'pending';
  /** Of the sign-in that is under way. */
  readonly authorizationUrl: string | undefined;
  readonly why: 'api_key' | 'embedded' | 'tokens' | undefined;
}

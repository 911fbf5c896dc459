// The sign-in flow, as tools and commands use it: start, wait, status, sign out; one at a time.

import { untilAborted } from '../abort.ts';
import { asFoveaError, FoveaError } from '../errors.ts';
import type { OAuthClient } from './oauth-client.ts';
import type { OpenBrowser } from './open-browser.ts';
import { openPendingSignIn, type PendingSignIn } from './pending-sign-in.ts';
import type { Session, SessionStatus } from './session.ts';
import { readUserinfo } from './userinfo.ts';

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

export interface SignInStatus extends Omit<SessionStatus, 'status' | 'isEnding'> {
  readonly status: 'signed_in' | 'signed_out' | 'pending';
  /** Of the sign-in that is under way. */
  readonly authorizationUrl: string | undefined;
  readonly why: 'api_key' | 'embedded' | 'tokens' | undefined;
}

export interface SignInFlowOptions {
  readonly client: OAuthClient;
  readonly session: Session;
  readonly scopes: readonly string[];
  /** The port of the callback on 127.0.0.1; 0: any free one. */
  readonly redirectPort: number;
  /** False: nothing listens, the person brings the final address to `finishWith`. */
  readonly listens?: boolean;
  /** RFC 8707: for what the tokens are; left out: the service's own API. */
  readonly resource?: string;
  readonly browser: OpenBrowser;
}

/** Opens no browser, port or connection before `start`. */
export function createSignInFlow(options: SignInFlowOptions): SignInFlow {
  const { client, session, browser } = options;
  const signIn = createSingleSignIn(options);
  return {
    start: signIn.start,
    finished: async (signal) => signIn.finished(signal),
    finishWith: async (address) => {
      const pending = signIn.pending();
      if (pending === undefined) {
        throw new FoveaError('conflict', 'No sign-in is under way.', { hint: 'Start one first.' });
      }
      await pending.take(address);
    },
    openBrowser: browser,
    status: async () => statusOf(await session.status(), signIn.pending(), signIn.failure()),
    signOut: async (signal) => {
      // Tokens that are just coming in are not to be kept after this.
      await signIn.closed();
      return session.end(signal);
    },
    userinfo: async (signal) => readUserinfo(client, session, signal),
    close: signIn.closed,
  };
}

/** Single flight: at most one sign-in at a time. */
function createSingleSignIn(options: SignInFlowOptions) {
  const { session } = options;
  let starting: Promise<StartedSignIn> | undefined;
  let pending: PendingSignIn | undefined;
  let failure: FoveaError | undefined;
  let closed: Promise<void> = Promise.resolve();

  const open = async (): Promise<StartedSignIn> => {
    const current = await workingSignIn(session);
    if (current !== undefined) {
      return { status: 'signed_in', workspaceUrl: current.workspaceUrl, why: 'tokens' };
    }
    await session.ready();
    await closed;
    const { listens = true, resource } = options;
    const begin = session.begin.bind(session);
    const opened = await openPendingSignIn({ ...options, listens, resource, begin });
    pending = opened;
    failure = undefined;
    closed = opened.closed;
    opened.done
      .catch((thrown) => {
        failure = asFoveaError(thrown);
      })
      .finally(() => {
        if (pending === opened) pending = undefined;
      });
    return { status: 'pending', authorizationUrl: opened.address, isNew: true };
  };

  return {
    pending: () => pending,
    failure: () => failure,
    /** Cancels a pending sign-in, and waits for its end. */
    closed: async (): Promise<void> => {
      await starting?.catch(() => undefined);
      pending?.cancel();
      await closed;
    },
    start: async (): Promise<StartedSignIn> => {
      const waiting = pending;
      if (waiting) {
        const { address } = waiting;
        const current = await workingSignIn(session).catch(() => undefined);
        if (!current) return { status: 'pending', authorizationUrl: address, isNew: false };
        // Another process of this person was faster.
        waiting.abandon();
      }
      if (starting) {
        const started = await starting;
        return started.status === 'pending' ? { ...started, isNew: false } : started;
      }
      starting = open().finally(() => {
        starting = undefined;
      });
      return starting;
    },
    finished: async (signal: AbortSignal): Promise<void> => {
      if (pending) await untilAborted(pending.done, signal, cancelled);
      else if (failure) throw failure;
    },
  };
}

/**
 * Undefined where calls cannot be made with it, or soon cannot, as far as the service says: it has
 * expired, was ended or is refused. Other failures are thrown.
 */
async function workingSignIn(session: Session): Promise<SessionStatus | undefined> {
  try {
    if ((await session.accessToken()) === undefined) return undefined;
  } catch (thrown) {
    if (asFoveaError(thrown).code === 'unauthenticated') return undefined;
    throw thrown;
  }
  const current = await session.status();
  return current.status === 'signed_in' && current.isEnding !== true ? current : undefined;
}

function statusOf(
  { isEnding, ...facts }: SessionStatus,
  pending: PendingSignIn | undefined,
  failure: FoveaError | undefined,
): SignInStatus {
  const isIn = facts.status === 'signed_in' && !(pending && isEnding);
  if (pending && !isIn) {
    const { address } = pending;
    return { ...facts, status: 'pending', authorizationUrl: address, why: undefined };
  }
  const error =
    isIn || failure?.code === 'cancelled' ? facts.error : (failure?.message ?? facts.error);
  return { ...facts, error, authorizationUrl: undefined, why: isIn ? 'tokens' : undefined };
}

function cancelled(): FoveaError {
  return new FoveaError('cancelled', 'Waiting for the sign-in was cancelled.');
}

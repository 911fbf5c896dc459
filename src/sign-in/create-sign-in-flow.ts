// Signs a user in and out with an authorization server; one sign-in at a time.

import { untilAborted } from '../abort.ts';
import { asFoveaError, FoveaError } from '../errors.ts';
import type { Secret } from '../secret.ts';
import type { OAuthClient } from './oauth-client.ts';
import type { OpenBrowser } from './open-browser.ts';
import { openPendingSignIn, type PendingSignIn } from './pending-sign-in.ts';
import type { Session } from './session.ts';
import type { SignInFlow, SignInStatus, StartedSignIn } from './sign-in-flow.ts';
import { readUserinfo } from './token-validation.ts';

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
    userinfo: async (signal) => userinfo(client, session, signal),
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
    if (await hasToken(session)) {
      const { workspaceUrl } = await session.status();
      return { status: 'signed_in', workspaceUrl, why: 'tokens' };
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
        const isIn = await hasToken(session).catch(() => false);
        if (!isIn) return { status: 'pending', authorizationUrl: address, isNew: false };
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

/** An expired sign-in counts as none; other failures are thrown. */
async function hasToken(session: Session): Promise<boolean> {
  try {
    return (await session.accessToken()) !== undefined;
  } catch (thrown) {
    if (asFoveaError(thrown).code === 'unauthenticated') return false;
    throw thrown;
  }
}

function statusOf(
  facts: Awaited<ReturnType<Session['status']>>,
  pending: PendingSignIn | undefined,
  failure: FoveaError | undefined,
): SignInStatus {
  const isIn = facts.status === 'signed_in';
  if (pending && !isIn) {
    const { address } = pending;
    return { ...facts, status: 'pending', authorizationUrl: address, why: undefined };
  }
  const error =
    isIn || failure?.code === 'cancelled' ? facts.error : (failure?.message ?? facts.error);
  return { ...facts, error, authorizationUrl: undefined, why: isIn ? 'tokens' : undefined };
}

/** Claims of the signed-in person only. A refused token is renewed once. */
async function userinfo(client: OAuthClient, session: Session, signal: AbortSignal | undefined) {
  const token = await session.accessToken(signal);
  if (token === undefined) throw signedOut();
  const read = async (token: Secret) =>
    readUserinfo(client, token, await session.subject(signal), signal);
  try {
    return await read(token);
  } catch (thrown) {
    if (asFoveaError(thrown).code !== 'unauthenticated') throw thrown;
    const renewed = await session.renew(token, signal);
    if (renewed === undefined) throw thrown;
    return read(renewed);
  }
}

function signedOut(): FoveaError {
  return new FoveaError('unauthenticated', 'Nobody is signed in.', {
    hint: 'Call auth_sign_in, or run: fovea sign-in.',
  });
}

function cancelled(): FoveaError {
  return new FoveaError('cancelled', 'Waiting for the sign-in was cancelled.');
}

// One pending sign-in, from the authorization request to the stored tokens.

import { FoveaError, invalidArgument } from '../errors.ts';
import { limits } from '../limits.ts';
import {
  type AuthorizationRequest,
  isAnswerTo,
  makeAuthorizationRequest,
  redeem,
} from './authorization-code.ts';
import type { CallbackPage } from './callback-page.ts';
import { listenForCallback, page, unheardRedirectUri } from './callback-server.ts';
import type { OAuthClient } from './oauth-client.ts';
import { revokeTokens } from './token-endpoint.ts';
import type { Tokens } from './token-store.ts';
import { validateToken, withValidated } from './token-validation.ts';

export interface PendingOptions {
  readonly client: OAuthClient;
  readonly scopes: readonly string[];
  /** The port of the callback; 0: any free one. */
  readonly redirectPort: number;
  /** False: nothing listens, the person brings the final address. */
  readonly listens: boolean;
  readonly resource: string | undefined;
  /** Keeps the tokens. */
  readonly begin: (tokens: Tokens) => Promise<void>;
}

export interface PendingSignIn {
  /** The URL that the person opens. */
  readonly address: string;
  /** Rejects with why it ended badly. */
  readonly done: Promise<void>;
  /** Takes the redirect URL of the person. Throws the error that it carries. */
  take(address: string): Promise<void>;
  cancel(): void;
  /** Likewise, unless the person has come back already. */
  abandon(): void;
  /** After its end: nothing is under way any more, and the port is free again. */
  readonly closed: Promise<void>;
}

/** Throws before anything listens where the service cannot be used. */
export async function openPendingSignIn(options: PendingOptions): Promise<PendingSignIn> {
  const { client, scopes, redirectPort, resource } = options;
  const server = await client.server();
  let answer = async (_address: URL): Promise<CallbackPage> => strayPage;
  const listener = options.listens
    ? await listenForCallback(redirectPort, (address) => answer(address))
    : undefined;
  try {
    const redirectUri = listener?.redirectUri ?? unheardRedirectUri(redirectPort);
    const asked = { clientId: client.clientId, redirectUri, scopes, resource };
    const request = await makeAuthorizationRequest(server, asked);
    const turn = startTurn(options, request);
    answer = async (address) => {
      if (!isAnswerTo(request, address)) return strayPage;
      const workspace = await turn.take(address);
      const where = workspace === undefined ? '' : ` to ${workspace}`;
      return page(200, 'Signed in', `You are signed in${where}. You can close this window.`);
    };
    const closed = turn.settled.then(() => listener?.close());
    return {
      address: request.address,
      done: turn.done,
      closed,
      cancel: turn.cancel,
      abandon: turn.abandon,
      take: async (address) => {
        await turn.take(readPasted(request, address));
      },
    };
  } catch (thrown) {
    await listener?.close();
    throw thrown;
  }
}

const strayPage = page(
  400,
  'No such sign-in',
  'This answer belongs to no sign-in that Fovea waits for. Nothing has changed.',
  'Where you just signed in: start again, and use the newest window.',
);

/** Ends once: by the first answer with the right state, by time, or by being cancelled. */
function startTurn(options: PendingOptions, request: AuthorizationRequest) {
  const { promise: done, resolve, reject } = Promise.withResolvers<void>();
  const controller = new AbortController();
  let isOver = false;
  let taking: Promise<Tokens> | undefined;
  const giveUp = (error: FoveaError) => {
    isOver = true;
    controller.abort();
    reject(error);
  };
  const abandon = () => {
    if (!isOver) giveUp(new FoveaError('cancelled', 'The sign-in was cancelled.'));
  };
  const timer = setTimeout(() => {
    if (!isOver) giveUp(new FoveaError('timed_out', 'Nobody signed in within 10 minutes.'));
  }, limits.signInMsMax);
  // Who waits for it hears of its failure; where nobody does, that is no crash.
  const settled = done
    .catch(() => undefined)
    .then(async () => {
      clearTimeout(timer);
      await taking?.catch(() => undefined);
    });
  return {
    done,
    settled,
    abandon,
    cancel: () => giveUp(new FoveaError('cancelled', 'The sign-in was cancelled.')),
    /** To which workspace, where the service says so. */
    take: async (address: URL): Promise<string | undefined> => {
      if (isOver) throw new FoveaError('conflict', 'This sign-in was answered already.');
      isOver = true;
      taking = redeemAndKeep(options, request, address, controller.signal);
      try {
        const { workspaceUrl } = await taking;
        resolve();
        return workspaceUrl;
      } catch (thrown) {
        reject(thrown);
        throw thrown;
      }
    },
  };
}

/** Tokens that cannot be stored, or are no longer wanted, are revoked. */
async function redeemAndKeep(
  { client, begin }: PendingOptions,
  request: AuthorizationRequest,
  address: URL,
  signal: AbortSignal,
): Promise<Tokens> {
  const tokens = await redeem(client, request, address, signal);
  try {
    const told = await withFacts(client, tokens, signal);
    if (signal.aborted) throw new FoveaError('cancelled', 'The sign-in was cancelled.');
    await begin(told);
    return told;
  } catch (thrown) {
    await revokeTokens(client, tokens, AbortSignal.timeout(limits.oauthRequestMsMax)).catch(
      () => false,
    );
    throw thrown;
  }
}

/** The true end, the scopes and the workspace of a token, where the service tells them. */
async function withFacts(
  client: OAuthClient,
  tokens: Tokens,
  signal: AbortSignal,
): Promise<Tokens> {
  const answer = await validateToken(client, tokens.accessToken, signal).catch(() => undefined);
  if (answer === undefined) return tokens;
  if (!answer.active) {
    throw new FoveaError('upstream_failed', 'The service does not know the token that it gave.', {
      retry: 'never',
    });
  }
  return withValidated(tokens, answer, client.clock.now());
}

/** Blanks and line ends of a terminal are left out; a browser may have hidden `http://`. */
function readPasted(request: AuthorizationRequest, text: string): URL {
  const address = text.replace(/\s+/g, '');
  const url = URL.parse(/^https?:\/\//i.test(address) ? address : `http://${address}`);
  if (url !== null && isAnswerTo(request, url)) return url;
  throw invalidArgument(
    'address',
    'is not the final address of this sign-in',
    `Paste all of it, as the browser shows it after signing in: ${request.redirectUri}?...`,
  );
}

// MCP elicitation: asks the person at the host to open a URL (mode "url") or to agree (mode
// "form"). Hosts up to revision 2025-11-25 are asked by a request in the middle of the call. Later
// hosts are asked by a result that ends the call, and answer by repeating their request.

import { createHash, randomUUID } from 'node:crypto';
import {
  CLIENT_CAPABILITIES_META_KEY,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  ProtocolError,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Clock } from '../../clock.ts';
import { FoveaError } from '../../errors.ts';
import { isJsonObject, memberOf } from '../../json-object.ts';
import { limits } from '../../limits.ts';
import { canonicalMembers } from '../idempotency/call-identity.ts';
import { isStateless } from '../protocol-revisions.ts';
import type { ConfirmationPrompt, Elicitation, ElicitationAction } from '../tool.ts';
import { forPeople } from '../untrusted-text.ts';
import type { RequestState } from './request-state.ts';

/** Ends a call without a result: the host has to ask its user, and to repeat its request. */
export class InputRequired extends Error {
  override readonly name = 'InputRequired';
  readonly result: InputRequiredResult;

  constructor(result: InputRequiredResult) {
    super('The host has to ask its user first.');
    this.result = result;
  }
}

export interface ElicitationOptions {
  readonly requestState: RequestState;
  readonly clock: Clock;
}

/** For calls whose host cannot ask its user. */
export const noElicitation: Elicitation = {
  canOpenUrl: false,
  canConfirm: false,
  urlAction: undefined,
  openUrl: async () => 'none',
  confirm: async () => {
    throw notConfirmed('none');
  },
};

/** The elicitation that one request allows. Redeems the answer that the request brings. */
export function hostElicitation(
  server: Server,
  context: ServerContext,
  options: ElicitationOptions,
): Elicitation {
  const { requestState } = options;
  const support = supportOf(server, context, 'url');
  const isAsked = supportOf(server, context, 'form') !== 'none';
  const agreedTarget = requestState.redeem(context);
  const mayAsk = isAsked && !requestState.dropsQuestions(server);
  const confirmation = { server, context, options, agreedTarget, mayAsk };
  return {
    canOpenUrl: support !== 'none',
    // An answer counts also where the host says with it that it can ask no more.
    canConfirm: mayAsk || agreedTarget !== undefined,
    urlAction: agreedTarget === undefined ? actionIn(context, urlKey) : undefined,
    openUrl: async (url, message) => {
      if (support === 'by-result') throw new InputRequired(urlResult(url, message));
      const request = { mode: 'url' as const, url, message, elicitationId: randomUUID() };
      return (await sendRequest(request, limits.openUrlMsMax, context, options.clock)).action;
    },
    confirm: async (call, readPrompt) => {
      const read = async () => targeted(call, await readPrompt());
      await (agreedTarget === undefined
        ? ask(read, confirmation)
        : checkAnswer(read, confirmation));
    },
  };
}

interface Confirmation {
  readonly server: Server;
  readonly context: ServerContext;
  readonly options: ElicitationOptions;
  /**
   * The target that the answer of this request is about; undefined: the request brings no answer.
   */
  readonly agreedTarget: string | undefined;
  readonly mayAsk: boolean;
}

interface TargetedPrompt {
  readonly message: string;
  /** A hash of all that must not have changed between the question and the answer. */
  readonly target: string;
}

type ReadPrompt = () => Promise<TargetedPrompt>;

function targeted(
  { tool, input }: Parameters<Elicitation['confirm']>[0],
  { message, facts }: ConfirmationPrompt,
): TargetedPrompt {
  const target = createHash('sha256')
    .update(JSON.stringify([tool, canonicalMembers(input), facts]))
    .digest('base64url');
  return { message: forPeople(message), target };
}

/** The request is repeated with an answer: it counts for the target that was asked about. */
async function checkAnswer(read: ReadPrompt, confirmation: Confirmation): Promise<void> {
  const { context, agreedTarget, mayAsk } = confirmation;
  const action = actionIn(context, confirmKey);
  if (action !== 'accept') throw notConfirmed(action);
  const prompt = await read();
  if (prompt.target === agreedTarget) return;
  if (!mayAsk) throw notConfirmed(undefined);
  await ask(async () => prompt, confirmation);
}

async function ask(read: ReadPrompt, confirmation: Confirmation): Promise<void> {
  const { server, context, options } = confirmation;
  const { requestState } = options;
  if (supportOf(server, context, 'form') !== 'by-result')
    return askUntilUnchanged(read, confirmation);
  const { message, target } = await read();
  throw new InputRequired(confirmResult(message, await requestState.seal(target, context)));
}

/** Asks anew where the target changed meanwhile; a target that keeps changing is not agreed to. */
async function askUntilUnchanged(
  read: ReadPrompt,
  { server, context, options }: Confirmation,
): Promise<void> {
  const { clock, requestState } = options;
  let prompt = await read();
  for (let round = 1; round <= limits.confirmationRoundsMax; round += 1) {
    const { message, target } = prompt;
    const request = { mode: 'form' as const, message, requestedSchema: noFields };
    const answer = await sendRequest(request, limits.confirmationMsMax, context, clock);
    if (answer.isDropped) requestState.droppedBy(server);
    if (answer.action !== 'accept') throw notConfirmed(answer.action);
    prompt = await read();
    if (prompt.target === target) return;
  }
  throw notConfirmed('none');
}

function notConfirmed(action: ElicitationAction | undefined): FoveaError {
  const nothing = 'Nothing was changed.';
  if (action === 'decline' || action === 'cancel') {
    return new FoveaError('forbidden', `The person was asked, and said no. ${nothing}`, {
      hint: 'Do not ask again; go on without it.',
    });
  }
  return new FoveaError('forbidden', `The host brought no answer of the person. ${nothing}`, {
    hint: 'Tell the person in the conversation what is to be done, and call again when they agree.',
  });
}

/** How a host is asked: not at all, by a request of ours (2025), or by a result (2026-07-28). */
type Support = 'none' | 'by-request' | 'by-result';

/**
 * The elicitation that the host declared: with this very request if it is stateless, else when it
 * connected.
 */
function supportOf(server: Server, { mcpReq }: ServerContext, mode: 'url' | 'form'): Support {
  const isByResult = isStateless(server);
  const declared = isByResult
    ? memberOf(mcpReq.envelope, CLIENT_CAPABILITIES_META_KEY)
    : server.getClientCapabilities();
  const elicitation = memberOf(declared, 'elicitation');
  // A host that declares elicitation without a mode supports forms alone.
  const isEmpty = isJsonObject(elicitation) && Object.keys(elicitation).length === 0;
  const isDeclared = isJsonObject(memberOf(elicitation, mode)) || (isEmpty && mode === 'form');
  if (!isDeclared) return 'none';
  return isByResult ? 'by-result' : 'by-request';
}

/** The names of the input requests; a call has one of them at a time. */
const urlKey = 'open';
const confirmKey = 'consent';

/** The answer in a repeated request; it came from outside and is not verified. */
function actionIn({ mcpReq }: ServerContext, key: string): ElicitationAction | undefined {
  if (mcpReq.inputResponses === undefined) return undefined;
  const view = inputResponse(mcpReq.inputResponses, key);
  return view.kind === 'elicit' ? view.action : 'none';
}

function urlResult(url: string, message: string): InputRequiredResult {
  return inputRequired({ inputRequests: { [urlKey]: inputRequired.elicitUrl({ url, message }) } });
}

function confirmResult(message: string, requestState: string): InputRequiredResult {
  const form = inputRequired.elicit({ message, requestedSchema: noFields });
  return inputRequired({ inputRequests: { [confirmKey]: form }, requestState });
}

/** To agree or not is the whole answer. */
const noFields = { type: 'object' as const, properties: {} };

interface Answer {
  readonly action: ElicitationAction;
  /** Whether the host answered with an error before anybody can have read the question. */
  readonly isDropped: boolean;
}

/**
 * Asks now, and waits for `timeoutMs` at most. Throws only when the call itself was cancelled: a
 * host that answers with an error must not end the call with its own words.
 */
async function sendRequest(
  request: Parameters<ServerContext['mcpReq']['elicitInput']>[0],
  timeoutMs: number,
  { mcpReq }: ServerContext,
  clock: Clock,
): Promise<Answer> {
  const { signal } = mcpReq;
  const startedMs = clock.monotonic();
  try {
    const { action } = await mcpReq.elicitInput(request, { timeout: timeoutMs, signal });
    return { action, isDropped: false };
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    // An error that comes later may be the host's own way to say that the person is away.
    const isAtOnce = clock.monotonic() - startedMs <= limits.droppedQuestionMsMax;
    return { action: 'none', isDropped: isAtOnce && thrown instanceof ProtocolError };
  }
}

// tools/call of one connection: the call itself, and what is asked of the person at the host.

import {
  type CallToolRequest,
  type CallToolResult,
  type InputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Clock } from '../../clock.ts';
import { limits } from '../../limits.ts';
import {
  askAtOnce,
  askInResult,
  askToAgreeInResult,
  canAsk,
  givenAnswer,
} from '../elicitation/host-elicitation.ts';
import type { ConsentDesk } from '../elicitation/request-state.ts';
import { forPeople } from '../foreign-text.ts';
import type { Ask } from '../tool.ts';
import { createProgress, noProgress, type Progress } from './progress.ts';
import type { Called, CallScope, CallTool } from './stages.ts';

export interface ToolCallParts {
  readonly clock: Clock;
  readonly callTool: CallTool;
  readonly consent: ConsentDesk;
}

/** A call that was made, or a question that the host answers by repeating its request. */
export type Answered = { readonly called: Called } | { readonly asks: InputRequiredResult };

/** Answers tools/call. Throws errors of the protocol alone. */
export async function answerToolCall(
  server: Server,
  parts: ToolCallParts,
  params: CallToolRequest['params'],
  context: ServerContext,
): Promise<Answered> {
  const progress = progressOf(context, parts.clock);
  const knowsLinks = linksSince <= revisionOf(server, context);
  const key = idempotencyKey(context);
  const call = (person: CallScope['person']) => {
    const { signal } = context.mcpReq;
    const scope = { signal, progress: progress.report, person, ...(key !== undefined && { key }) };
    return parts.callTool(params.name, params.arguments ?? {}, scope, knowsLinks);
  };
  try {
    return await callAndAsk(call, { ...parts, server, context });
  } finally {
    await progress.finish();
  }
}

/** As the protocol has it. */
export function toProtocol(answered: Answered): CallToolResult | InputRequiredResult {
  return 'asks' in answered ? answered.asks : answered.called.result;
}

type AskToAgree = Extract<Ask, { kind: 'consent' }>;

type Call = (person: CallScope['person']) => Promise<Called>;

interface Round {
  readonly server: Server;
  readonly context: ServerContext;
  readonly consent: ConsentDesk;
  readonly clock: Clock;
}

/** A tool that asks is called a second time, with what came back. */
async function callAndAsk(call: Call, round: Round): Promise<Answered> {
  const { server, context, consent, clock } = round;
  const canOpen = canAsk(server, context, 'url');
  const canConsent = canAsk(server, context, 'form');
  const agreed = consent.redeem(context);
  const answer = givenAnswer(context, agreed === undefined ? 'open' : 'consent');
  const called = await call({
    canOpen: canOpen !== 'no',
    canConsent: canConsent !== 'no' && !consent.dropsQuestions(server),
    answer,
    agreed,
  });
  const { ask } = called;
  if (ask === undefined) return { called };
  const isAtOnce = (ask.kind === 'open' ? canOpen : canConsent) === 'at-once';
  if (ask.kind === 'open') {
    if (!isAtOnce) return { asks: askInResult(ask) };
    const { answer: opened } = await askAtOnce(ask, context, clock);
    return { called: await call({ canOpen: false, canConsent: false, answer: opened }) };
  }
  const shown = { ...ask, message: forPeople(ask.message) };
  if (isAtOnce) return { called: await untilAgreed(call, round, shown) };
  return { asks: askToAgreeInResult(shown, await consent.seal(ask.target, context)) };
}

/** Asked anew where the target changed meanwhile; in the end that counts as no answer. */
async function untilAgreed(call: Call, round: Round, first: AskToAgree) {
  const { server, context, consent, clock } = round;
  let ask = first;
  for (let rounds = 1; ; rounds += 1) {
    const isLast = rounds > limits.consentRoundsMax;
    const { answer, isDropped } = isLast ? unanswered : await askAtOnce(ask, context, clock);
    if (isDropped) consent.droppedBy(server);
    const person = { canOpen: false, canConsent: true, answer, agreed: ask.target };
    const called = await call(person);
    if (called.ask?.kind !== 'consent') return called;
    ask = { ...called.ask, message: forPeople(called.ask.message) };
  }
}

const unanswered = { answer: 'none', isDropped: false } as const;

/** Given by hosts that repeat a call whose answer they did not get. */
function idempotencyKey({ mcpReq }: ServerContext): string | undefined {
  const key: unknown = mcpReq._meta?.[idempotencyKeyName];
  if (key === undefined) return undefined;
  const { idempotencyKeyCharactersMax: charactersMax } = limits;
  const isText = typeof key === 'string' && key !== '' && key.length <= charactersMax;
  // Half characters are written down as the same one: two keys would be one.
  if (isText && key.isWellFormed()) return key;
  const right = `_meta["${idempotencyKeyName}"] must be a text of 1 to ${charactersMax} characters`;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, right);
}

/** In `_meta` of tools/call. */
const idempotencyKeyName = 'fovea/idempotencyKey';

/** A server that was made for this request alone knows its revision from the header. */
function revisionOf(server: Server, { http }: ServerContext): string {
  const said = http?.req?.headers.get('mcp-protocol-version');
  return server.getNegotiatedProtocolVersion() ?? said ?? '';
}

/** Clients of older revisions refuse a whole result for one block of a kind unknown to them. */
const linksSince = '2025-06-18';

function progressOf({ mcpReq }: ServerContext, clock: Clock): Progress {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return noProgress;
  return createProgress(clock, (report) =>
    mcpReq.notify({ method: 'notifications/progress', params: { progressToken, ...report } }),
  );
}

// Asking the person at the host to open an address, or to agree: elicitation by URL and by form,
// in both protocol eras. The package can hide the difference, but then a host that never answers,
// or answers with an error, ends the call with words of its own; here the tool gets another turn.

import { randomUUID } from 'node:crypto';
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
import { isJsonObject } from '../../json-object.ts';
import { limits } from '../../limits.ts';
import { memberOf } from '../members.ts';
import { isStateless } from '../protocol-revisions.ts';
import type { Ask, ElicitationAction } from '../tool.ts';

type AskToOpen = Extract<Ask, { kind: 'open' }>;
type AskToAgree = Extract<Ask, { kind: 'consent' }>;

/** `at-once`: by a request of ours (2025); `in-result`: by a result that asks (2026-07-28). */
export type Ability = 'no' | 'at-once' | 'in-result';

/** The one input request of a call. */
const openKey = 'open';
const consentKey = 'consent';

/** What the host has declared: for this very request in the new era, else when it connected. */
export function canAsk(server: Server, { mcpReq }: ServerContext, mode: 'url' | 'form'): Ability {
  const isNew = isStateless(server);
  const declared = isNew
    ? memberOf(mcpReq.envelope, CLIENT_CAPABILITIES_META_KEY)
    : server.getClientCapabilities();
  const elicitation = memberOf(declared, 'elicitation');
  // A host that declares elicitation without a mode means forms alone.
  const isPlain = isJsonObject(elicitation) && Object.keys(elicitation).length === 0;
  const isDeclared = isJsonObject(memberOf(elicitation, mode)) || (isPlain && mode === 'form');
  if (!isDeclared) return 'no';
  return isNew ? 'in-result' : 'at-once';
}

/** What a repeated request of the new era says was answered. It came from outside. */
export function givenAnswer(
  context: ServerContext,
  kind: Ask['kind'],
): ElicitationAction | undefined {
  const { inputResponses } = context.mcpReq;
  if (inputResponses === undefined) return undefined;
  const view = inputResponse(inputResponses, kind === 'open' ? openKey : consentKey);
  return view.kind === 'elicit' ? view.action : 'none';
}

/** The host repeats its request with the answer. */
export function askInResult({ url, message }: AskToOpen): InputRequiredResult {
  return inputRequired({ inputRequests: { [openKey]: inputRequired.elicitUrl({ url, message }) } });
}

/** Likewise; `requestState` comes back with the answer. */
export function askToAgreeInResult(
  { message }: AskToAgree,
  requestState: string,
): InputRequiredResult {
  const form = inputRequired.elicit({ message, requestedSchema: nothingToFill });
  return inputRequired({ inputRequests: { [consentKey]: form }, requestState });
}

export interface AskedAtOnce {
  readonly answer: ElicitationAction;
  /** Whether the host answered with an error sooner than anybody can have read the question. */
  readonly isDropped: boolean;
}

/**
 * Asks now, and waits for `askToOpenMsMax` or `consentMsMax` at most. Throws only when the call
 * itself was cancelled.
 */
export async function askAtOnce(
  ask: Ask,
  { mcpReq }: ServerContext,
  clock: Clock,
): Promise<AskedAtOnce> {
  const { askToOpenMsMax, consentMsMax } = limits;
  const timeout = ask.kind === 'open' ? askToOpenMsMax : consentMsMax;
  const startedMs = clock.monotonic();
  try {
    const { action } = await mcpReq.elicitInput(elicitation(ask), {
      timeout,
      signal: mcpReq.signal,
    });
    return { answer: action, isDropped: false };
  } catch (thrown) {
    if (mcpReq.signal.aborted) throw thrown;
    // An error that comes later may be the host's own way to say that the person is away.
    const isAtOnce = clock.monotonic() - startedMs <= limits.consentDroppedMsMax;
    return { answer: 'none', isDropped: isAtOnce && thrown instanceof ProtocolError };
  }
}

/** To agree or not is the whole answer. */
const nothingToFill = { type: 'object' as const, properties: {} };

function elicitation(ask: Ask): Parameters<ServerContext['mcpReq']['elicitInput']>[0] {
  const { message } = ask;
  if (ask.kind === 'consent') return { mode: 'form', message, requestedSchema: nothingToFill };
  return { mode: 'url', url: ask.url, message, elicitationId: randomUUID() };
}

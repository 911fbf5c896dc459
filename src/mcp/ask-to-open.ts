// Asking the person at the host to open an address: URL-mode elicitation, in both protocol eras.
// The package can hide the difference, but then a host that never answers, or answers with an
// error, ends the call with words of its own; here the tool gets another turn instead.

import { randomUUID } from 'node:crypto';
import {
  CLIENT_CAPABILITIES_META_KEY,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { limits } from '../limits.ts';
import type { Ask, AskAnswer } from './tool.ts';

type AskToOpen = Extract<Ask, { kind: 'open' }>;

/** `at-once`: by a request of ours (2025); `in-result`: by a result that asks (2026-07-28). */
type Ability = 'no' | 'at-once' | 'in-result';

const firstOfNewEra = '2026-07-28';

/** The one input request of a call. */
const key = 'open';

/** What the host has declared: for this very request in the new era, else when it connected. */
export function canAsk(server: Server, { mcpReq }: ServerContext): Ability {
  const isNewEra = (server.getNegotiatedProtocolVersion() ?? '') >= firstOfNewEra;
  const declared = isNewEra
    ? memberOf(mcpReq.envelope, CLIENT_CAPABILITIES_META_KEY)
    : server.getClientCapabilities();
  // A host that declares elicitation without a mode means forms alone.
  if (!isObject(memberOf(memberOf(declared, 'elicitation'), 'url'))) return 'no';
  return isNewEra ? 'in-result' : 'at-once';
}

function memberOf(value: unknown, name: string): unknown {
  return isObject(value) ? Reflect.get(value, name) : undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** What a repeated request of the new era says was answered. It came from outside. */
export function givenAnswer({ mcpReq }: ServerContext): AskAnswer | undefined {
  if (mcpReq.inputResponses === undefined) return undefined;
  const view = inputResponse(mcpReq.inputResponses, key);
  return view.kind === 'elicit' ? view.action : 'none';
}

/** The host repeats its request with the answer. */
export function askInResult({ url, message }: AskToOpen): InputRequiredResult {
  return inputRequired({ inputRequests: { [key]: inputRequired.elicitUrl({ url, message }) } });
}

/**
 * Asks now, and waits for `askToOpenMsMax` at most. Throws only when the call itself was
 * cancelled.
 */
export async function askAtOnce(
  { url, message }: AskToOpen,
  { mcpReq }: ServerContext,
): Promise<AskAnswer> {
  try {
    const { action } = await mcpReq.elicitInput(
      { mode: 'url', url, message, elicitationId: randomUUID() },
      { timeout: limits.askToOpenMsMax, signal: mcpReq.signal },
    );
    return action;
  } catch (thrown) {
    if (mcpReq.signal.aborted) throw thrown;
    return 'none';
  }
}

// tools/call of one connection: what the request and its host say, passed to the stages of a call.

import {
  type CallToolRequest,
  type InputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Clock } from '../../clock.ts';
import { limits } from '../../limits.ts';
import { showsApps } from '../app/host-support.ts';
import {
  type ElicitationOptions,
  hostElicitation,
  InputRequired,
} from '../elicitation/host-elicitation.ts';
import type { Called, CallTool } from './pipeline.ts';
import { createProgress, noProgress, type Progress } from './progress.ts';

export interface ToolCallOptions extends ElicitationOptions {
  readonly callTool: CallTool;
}

/** A call that was made, or what the host has to ask its user before it repeats its request. */
export type Answered =
  | { readonly called: Called }
  | { readonly inputRequired: InputRequiredResult };

/** Answers tools/call. Throws errors of the protocol alone. */
export async function answerToolCall(
  server: Server,
  options: ToolCallOptions,
  params: CallToolRequest['params'],
  context: ServerContext,
): Promise<Answered> {
  const { clock, callTool } = options;
  const progress = progressOf(context, clock);
  const key = idempotencyKey(context);
  const scope = {
    signal: context.mcpReq.signal,
    progress: progress.report,
    elicitation: hostElicitation(server, context, options),
    showsApps: showsApps(server, context),
    ...(key !== undefined && { key }),
  };
  const knowsLinks = linksSince <= revisionOf(server, context);
  try {
    const called = await callTool(params.name, params.arguments ?? {}, scope, knowsLinks);
    return { called };
  } catch (thrown) {
    if (thrown instanceof InputRequired) return { inputRequired: thrown.result };
    throw thrown;
  } finally {
    await progress.finish();
  }
}

/** Given by hosts that repeat a call whose answer they did not get. */
function idempotencyKey({ mcpReq }: ServerContext): string | undefined {
  const key: unknown = mcpReq._meta?.[idempotencyKeyName];
  if (key === undefined) return undefined;
  const { idempotencyKeyCharactersMax: charactersMax } = limits;
  const isText = typeof key === 'string' && key !== '' && key.length <= charactersMax;
  // Lone surrogates would all be stored as U+FFFD: two keys would be equal.
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

/** Clients of older revisions reject a whole result for one content block of an unknown type. */
const linksSince = '2025-06-18';

function progressOf({ mcpReq }: ServerContext, clock: Clock): Progress {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return noProgress;
  return createProgress(clock, (report) =>
    mcpReq.notify({ method: 'notifications/progress', params: { progressToken, ...report } }),
  );
}

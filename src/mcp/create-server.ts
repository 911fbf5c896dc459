// An MCP server without a transport. It uses the low-level server of the package, so that
// tools/list is answered from JSON made at build time.

import {
  type CallToolResult,
  type JSONObject,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Clock } from '../clock.ts';
import type { RequestState } from './elicitation/request-state.ts';
import { instructionsFor } from './instructions.ts';
import type { ServerCapabilities } from './server-capabilities.ts';
import { takesTasks, taskResult, tasksExtension } from './tasks/add-tasks.ts';
import { answerToolCall } from './tool-call/handle-request.ts';
import type { Called, CallTool } from './tool-call/stages.ts';
import type { ListedTool, ToolListSettings } from './tool-list.ts';
import { listedTools } from './tool-profiles.ts';

export interface ServerOptions {
  readonly version: string;
  readonly clock: Clock;
  /** From `wireTools`: made once per process, not once per server. */
  readonly tools: readonly WireTool[];
  /** Whether tools read files of this machine. */
  readonly readsFiles: boolean;
  readonly capabilities: ServerCapabilities;
  /** Seals what the person at the host is asked to confirm. */
  readonly requestState: RequestState;
}

/** An entry of tools/list as hosts get it. */
export type WireTool = ReturnType<typeof toWire>;

/** A list that never changes while the process runs may be kept for an hour. */
const cacheHint = { ttlMs: 3_600_000, cacheScope: 'private' } as const;

/** The part of a list that the settings offer, as hosts get it. */
export function wireTools(
  list: readonly ListedTool[],
  settings: ToolListSettings,
): readonly WireTool[] {
  return listedTools(list, settings).map(toWire);
}

/**
 * A server without a transport. Over stdio it is made once or twice per connection, since a host
 * may ask for the newest revision and fall back; over HTTP once per request.
 */
export function createServer(
  { version, clock, tools, readsFiles, capabilities, requestState }: ServerOptions,
  callTool: CallTool,
): Server {
  const server = new Server(
    { name: 'fovea', title: 'Fovea', version },
    {
      capabilities: {
        tools: {},
        resources: {},
        prompts: {},
        completions: {},
        ...(capabilities.tasks && { extensions: { [tasksExtension]: {} } }),
      },
      instructions: instructionsFor(
        tools.map(({ name }) => name),
        readsFiles,
      ),
      requestState: { verify: requestState.verify },
      cacheHints: {
        'tools/list': cacheHint,
        'prompts/list': cacheHint,
        'resources/list': cacheHint,
        'resources/templates/list': cacheHint,
        'server/discover': cacheHint,
      },
    },
  );
  server.setRequestHandler('tools/list', () => ({ tools: [...tools] }));
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const options = { clock, callTool, requestState };
    const answered = await answerToolCall(server, options, params, context);
    if ('inputRequired' in answered) return answered.inputRequired;
    return taskOf(answered.called, capabilities, context) ?? answered.called.result;
  });
  capabilities.addTo(server);
  return server;
}

/** For clients that support tasks: a task in place of a result whose work goes on. */
function taskOf(
  { work, result }: Called,
  { tasks }: ServerCapabilities,
  context: ServerContext,
): CallToolResult | undefined {
  if (tasks === undefined || work === undefined) return undefined;
  return takesTasks(context) ? taskResult(tasks.create(work, result)) : undefined;
}

/** Members stay in the order of the list, which costs a model the fewest tokens. */
function toWire({ title, inputSchema, annotations, name, description, meta }: ListedTool) {
  const { required = [], properties } = inputSchema;
  const schema = {
    properties: asJson(properties),
    ...(required.length > 0 && { required: [...required] }),
    type: 'object' as const,
  };
  return {
    name,
    description,
    inputSchema: schema,
    annotations: { ...annotations },
    title,
    ...(meta && { _meta: asJson(meta) }),
  };
}

/** Narrows the type; the value came from a JSON file. */
function asJson(value: object): JSONObject {
  return isJson(value) ? value : {};
}

function isJson(value: object): value is JSONObject {
  return !Array.isArray(value);
}

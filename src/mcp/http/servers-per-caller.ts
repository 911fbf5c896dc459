// An MCP server for each caller: its tools work in the caller's workspace, with the caller's
// scopes, and without access to this machine.

import type { Server } from '@modelcontextprotocol/server';
import type { Clock } from '../../clock.ts';
import type { Settings } from '../../config.ts';
import { FoveaError, invalidArgument } from '../../errors.ts';
import { openFileRoots } from '../../file-access/file-roots.ts';
import type { Client } from '../../http-client/client.ts';
import type { Log } from '../../log.ts';
import { createServer } from '../create-server.ts';
import { createRequestStates } from '../elicitation/request-state.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import { createCapabilities } from '../server-capabilities.ts';
import { describeServer } from '../server-description.ts';
import type { PagePlace, Tool, ToolContext } from '../tool.ts';
import { prepareCallTools } from '../tool-call/pipeline.ts';
import type { ListedTool } from '../tool-list.ts';
import type { Caller } from './authorization.ts';
import { withinScopes } from './scoped-client.ts';

export interface ServersPerCallerOptions {
  /** The offered tools: see `toolsOverHttp`. */
  readonly list: readonly ListedTool[];
  readonly loadTools: () => Promise<readonly Tool[]>;
  /** A client with a credential of that caller, or with a key that all callers share. */
  readonly clientOf: (caller: Caller) => Promise<Client>;
  readonly pagePlace?: () => Promise<PagePlace>;
  /** Opened by the first call that changes something. */
  readonly idempotency: () => Promise<Idempotency | undefined>;
  readonly settings: Settings;
  readonly version: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** Makes servers that have nothing in common but the list of tools and their code. */
export function serversPerCaller(options: ServersPerCallerOptions): (caller: Caller) => Server {
  const { list, version, clock, log, clientOf } = options;
  // Each caller has a workspace, so no call has to name it; the list does not show which one.
  const shared = settingsOf(options, 'any');
  const description = describeServer({ version, list, settings: shared, readsFiles: false });
  const loadTools = async () => (await options.loadTools()).map(withoutFileArguments);
  const createCallTool = prepareCallTools({ list, loadTools, log });
  const files = openFileRoots([]);
  const requestStateOf = createRequestStates();
  return (caller) => {
    const settings = settingsOf(options, caller.token.workspace);
    const makeContext = async (
      scope: Pick<ToolContext, 'signal' | 'progress' | 'elicitation'>,
    ) => ({
      ...scope,
      client: withinScopes(await clientOf(caller), caller.token.scopes),
      eventStorePlace: refuseLocal,
      signIn: refuseLocal,
      machine: refuseLocal,
      pagePlace: options.pagePlace ?? (async () => ({ kind: 'unknown' as const })),
      files,
      settings,
      clock,
    });
    const principal = principalOf(caller, options.settings);
    const own = { makeContext, settings, principal, idempotency: options.idempotency };
    const requestState = requestStateOf(principal);
    const callTool = createCallTool(own);
    const capabilities = createCapabilities({ list, loadTools, log, clock, ...own }, callTool);
    return createServer({ clock, description, capabilities, requestState }, callTool);
  };
}

/** One person in one workspace of one platform, with any client. */
function principalOf({ token }: Caller, { baseUrl }: Settings): string {
  return JSON.stringify([baseUrl, token.subject, token.workspace]);
}

/** Defaults of the settings belong to the operator; those of a caller come from its token. */
function settingsOf({ settings }: ServersPerCallerOptions, workspace: string): Settings {
  const nobodys = { apiKey: undefined, clientSecret: undefined, deviceApiKey: undefined };
  return { ...settings, ...nobodys, workspace, project: undefined, fileRoots: [] };
}

/** They are not in the list; a caller may name them all the same. */
function withoutFileArguments(tool: Tool): Tool {
  const { fileArguments = [] } = tool;
  if (fileArguments.length === 0) return tool;
  return {
    ...tool,
    prepare: (args) => {
      const named = fileArguments.find((name) => isGiven(args, name));
      if (named === undefined) return tool.prepare(args);
      throw invalidArgument(named, 'names a file of the server, which is not offered over HTTP');
    },
  };
}

function isGiven(args: unknown, name: string): boolean {
  const given =
    typeof args === 'object' && args !== null ? new Map(Object.entries(args)) : undefined;
  return (given?.get(name) ?? undefined) !== undefined;
}

async function refuseLocal(): Promise<never> {
  throw new FoveaError('not_implemented', 'This belongs to the machine of the server.', {
    hint: 'Run fovea over stdio on your own machine for that.',
  });
}

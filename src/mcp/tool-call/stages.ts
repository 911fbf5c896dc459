// One tool call, from the arguments of a host to a result that it can read.

import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import { asFoveaError, FoveaError, framesOf, invalidArgument } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { Log } from '../../log.ts';
import { nearest } from '../../nearest.ts';
import { once } from '../../once.ts';
import type { Account } from '../../sign-in/session.ts';
import { cleanText } from '../foreign-text.ts';
import type { Idempotency, IdempotentCall } from '../idempotency/idempotency.ts';
import { createPresenter, type PresenterOptions } from '../results/present-result.ts';
import type { Ask, BackgroundTask, Tool, ToolContext } from '../tool.ts';
import {
  fillDefaults,
  type ListedTool,
  type ToolListSettings,
  whyNotOffered,
} from '../tool-list.ts';
import {
  type OperationCall,
  operationsFind,
  presentCall,
  resolveOperation,
} from '../tool-profiles.ts';
import { excessOf } from './argument-limits.ts';
import type { Checked } from './corrected-call.ts';
import { createOwnWorkspace } from './credential-workspace.ts';

/** What a context has from the call that it is made for. */
export interface CallScope extends Pick<ToolContext, 'signal' | 'progress' | 'person'> {
  /** Given by the host: a second call with it is the same call. */
  readonly key?: string | undefined;
}

export interface CallOptions extends PresenterOptions {
  /** The full list, as it was made at build time. */
  readonly list: readonly ListedTool[];
  /** Loads the tools themselves; called with the first call. */
  readonly loadTools: () => Promise<readonly Tool[]>;
  readonly makeContext: (scope: CallScope) => Promise<ToolContext> | ToolContext;
  /** Who calls: the same words for the same credential. Undefined: there is one caller alone. */
  readonly principal?: string;
  /** Whose credential it is at this moment. Undefined: that cannot change. */
  readonly account?: () => Promise<Account | undefined>;
  /** Opened by the first call that changes something; undefined: none is kept. */
  readonly idempotency?: () => Promise<Idempotency | undefined>;
  readonly log: Log;
}

type CallersOwn = 'makeContext' | 'principal' | 'account' | 'idempotency' | keyof PresenterOptions;

export interface Called {
  readonly result: CallToolResult;
  /** To be asked of the host in place of the result. */
  readonly ask?: Ask;
  /** What goes on in the background. */
  readonly work?: BackgroundTask;
}

export type CallTool = (
  name: string,
  args: Readonly<Record<string, unknown>>,
  scope: CallScope,
  knowsLinks: boolean,
) => Promise<Called>;

/**
 * Calls a tool by its name. A tool that is unknown or not offered is an error of the protocol;
 * every other failure is a result that says so, and never harms another call.
 */
export function createCallTool(options: CallOptions): CallTool {
  return prepareCallTools(options)(options);
}

/** As `createCallTool`, for many callers: what they have in common is looked up once. */
export function prepareCallTools({
  list,
  loadTools,
  log,
}: Omit<CallOptions, CallersOwn>): (own: Pick<CallOptions, CallersOwn>) => CallTool {
  const listed = new Map([...list, operationsFind].map((tool) => [tool.name, tool]));
  const findTool = createFinder(async () => {
    const { operationsFindTool: findingTool } = await import(
      '../operation-search/operations-find.ts'
    );
    return [...(await loadTools()), findingTool(list)];
  });
  const checkUnsent = createUnsentCheck(listed, findTool);
  return (own) => {
    const { makeContext, settings, idempotency: journal } = own;
    const present = createPresenter(own, listed);
    const remembered = async (call: IdempotentCall, context: ToolContext) => {
      const make = () => call.tool.call(call.args, context);
      const opened = call.tool.effect === 'reads' ? undefined : await journal?.();
      return opened === undefined ? make() : opened.run(call, context, make);
    };
    const ownWorkspace = createOwnWorkspace(settings);
    return async (name, args, scope, knowsLinks) => {
      let resolved: OperationCall = { name, args };
      try {
        checkSize(args);
        resolved = resolveOperation(name, args, listed, settings);
        const entry = listed.get(resolved.name);
        if (entry === undefined) throw unknownTool(resolved.name, listed, settings);
        const refused = whyNotOffered(entry, settings);
        if (refused !== undefined)
          throw invalidParams(`The tool "${entry.name}" is not offered: ${refused}.`);
        // Once more: what a text of JSON held was not seen before.
        if (resolved.args !== args) checkSize(resolved.args);
        const tool = await findTool(entry.name);
        const context = await makeContext(scope);
        const account = await own.account?.();
        const principal = principalOf(own.principal, account);
        const at = { ...context, account };
        const result = await ownWorkspace.call(entry, resolved.args, at, (filled) =>
          remembered({ tool, args: filled, principal, key: scope.key }, context),
        );
        const { ask, work } = result;
        return {
          result: await present.result(tool.name, result, knowsLinks),
          ...(ask && canBeAsked(ask, scope) && { ask }),
          ...(work && { work }),
        };
      } catch (thrown) {
        if (thrown instanceof ProtocolError) throw thrown;
        const failure = scope.signal.aborted ? cancelled(thrown) : thrown;
        logFailure(log, name, failure);
        const { canConsent } = scope.person;
        const checkCall = (call: OperationCall) => checkUnsent(call, settings, canConsent);
        return { result: await present.failure(failure, resolved, checkCall) };
      }
    };
  };
}

/** What one account did is nobody else's: neither its results, nor its keys. */
function principalOf(fixed = '', account: Account | undefined): string {
  return account === undefined ? fixed : JSON.stringify([fixed, account.person]);
}

function canBeAsked({ kind }: Ask, { person }: CallScope): boolean {
  return kind === 'open' ? person.canOpen : person.canConsent;
}

function createFinder(loadTools: () => Promise<readonly Tool[]>) {
  // A failed load is tried again with the next call.
  const byName = once(async () => new Map((await loadTools()).map((tool) => [tool.name, tool])));
  return async (name: string): Promise<Tool> => {
    const tool = (await byName.get()).get(name);
    if (tool === undefined) throw new Error(`tools/list.json lists ${name}, which does not exist`);
    return tool;
  };
}

/** What is wrong with a call, as far as that shows before anything is sent. */
function createUnsentCheck(
  listed: ReadonlyMap<string, ListedTool>,
  findTool: (name: string) => Promise<Tool>,
) {
  return async (
    call: OperationCall,
    settings: ToolListSettings,
    canConsent: boolean,
  ): Promise<Checked> => {
    let resolved = call;
    try {
      if (!listed.has(call.name)) {
        resolved = resolveOperation(call.name, call.args, listed, settings);
      }
      const entry = listed.get(resolved.name);
      if (entry === undefined || whyNotOffered(entry, settings) !== undefined) {
        throw new FoveaError('forbidden', 'The tool is not offered.');
      }
      const filled = fillDefaults(entry, resolved.args, settings);
      const isNeeded = entry.inputSchema.required?.includes('workspace') ?? false;
      // Which one is that of the credential, the service says; any name is right for the rest.
      const complete = isNeeded ? { ...filled, workspace: filled.workspace ?? 'own' } : filled;
      (await findTool(entry.name)).check?.(complete, canConsent);
      return { call: resolved };
    } catch (thrown) {
      return { call: resolved, wrong: asFoveaError(thrown) };
    }
  };
}

function unknownTool(
  name: string,
  listed: ReadonlyMap<string, ListedTool>,
  settings: ToolListSettings,
): ProtocolError {
  const offered = [...listed.values()].filter(
    (tool) => whyNotOffered(tool, settings) === undefined,
  );
  const near = nearest(
    name.slice(0, 64),
    offered.map((tool) => tool.name),
  );
  const tool = listed.get(near ?? '');
  const right = tool ? `Did you mean ${wayTo(tool, settings)}?` : 'tools/list has all names.';
  return invalidParams(
    `There is no tool ${JSON.stringify(cleanText(name).slice(0, 64))}. ${right}`,
  );
}

/** Not every surface lists the tool by its own name. */
function wayTo(tool: ListedTool, settings: ToolListSettings): string {
  const call = presentCall(tool, {}, settings);
  if (call.tool === tool.name) return `"${tool.name}"`;
  return `"${call.tool}" with the operation "${tool.name}"`;
}

function invalidParams(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}

/** Before anything walks through the arguments. */
function checkSize(args: unknown): void {
  const { toolArgumentElementsMax: elementsMax, toolArgumentDepthMax: depthMax } = limits;
  const excess = excessOf(args, { elementsMax, depthMax });
  if (excess === 'depth') {
    throw invalidArgument('arguments', `are nested deeper than ${depthMax} levels`);
  }
  if (excess === 'elements') {
    throw invalidArgument(
      'arguments',
      `have more than ${elementsMax} members`,
      'Files go by path.',
    );
  }
}

/** The reason of an abort is whatever the host said: it stands for no failure of ours. */
function cancelled(cause: unknown): FoveaError {
  return new FoveaError('cancelled', 'The call was cancelled.', { cause });
}

/** What nobody foresaw goes to the log, where its words cannot reach a model. */
function logFailure(log: Log, tool: string, thrown: unknown): void {
  const { code, cause } = asFoveaError(thrown);
  if (code !== 'internal') {
    log.debug('A call failed.', { tool, code });
    return;
  }
  const at = cause instanceof Error ? cause : new Error(String(cause));
  log.error('A call failed unforeseen.', { tool, error: at.name, at: framesOf(at)[0] ?? '' });
}

// The way of a tool call, from the arguments of a host to a result that it can read: an ordered
// list of stages, each a small function over the call.

import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import { asFoveaError, FoveaError, framesOf, invalidArgument } from '../../errors.ts';
import { hasPrototypeName } from '../../json-scanner.ts';
import { lazyStart } from '../../lazy-start.ts';
import { limits } from '../../limits.ts';
import type { Log } from '../../log.ts';
import type { Account } from '../../sign-in/session.ts';
import { InputRequired, noElicitation } from '../elicitation/host-elicitation.ts';
import { meantOperation } from '../operation-search/word-synonyms.ts';
import { createPresenter } from '../results/present-result.ts';
import type { BackgroundTask, Tool } from '../tool.ts';
import {
  fillDefaults,
  type ListedTool,
  type ToolListSettings,
  whyNotOffered,
} from '../tool-list.ts';
import {
  type Arguments,
  type OperationCall,
  operationsFind,
  presentCall,
  resolveOperation,
} from '../tool-profiles.ts';
import { cleanText } from '../untrusted-text.ts';
import { excessOf } from './argument-limits.ts';
import type { Checked } from './corrected-call.ts';
import { createCredentialWorkspace } from './credential-workspace.ts';
import { type CallerOptions, type CallScope, ToolCall } from './tool-call.ts';

export interface CallOptions extends CallerOptions {
  /** The full list, as it was made at build time. */
  readonly list: readonly ListedTool[];
  /** Loads the tools themselves; called with the first call. */
  readonly loadTools: () => Promise<readonly Tool[]>;
  readonly log: Log;
}

export interface Called {
  readonly result: CallToolResult;
  /** What goes on in the background. */
  readonly work?: BackgroundTask;
}

/**
 * Calls a tool by its name. Throws a ProtocolError for a tool that is unknown or not offered, and
 * InputRequired where the host has to ask its user; every other failure is a result that says so.
 */
export type CallTool = (
  name: string,
  args: Arguments,
  scope: CallScope,
  knowsLinks: boolean,
) => Promise<Called>;

/** The scope of a call that a host makes without a tool: it only reads, and asks nobody. */
export function readOnlyScope(signal: AbortSignal): CallScope {
  return { signal, progress: () => undefined, elicitation: noElicitation };
}

export function createCallTool(options: CallOptions): CallTool {
  return prepareCallTools(options)(options);
}

/** As `createCallTool`, for many callers: what they have in common is looked up once. */
export function prepareCallTools({
  list,
  loadTools,
  log,
}: Omit<CallOptions, keyof CallerOptions>): (caller: CallerOptions) => CallTool {
  const listed = new Map([...list, operationsFind].map((tool) => [tool.name, tool]));
  const findTool = createFinder(async () => {
    const { operationsFindTool } = await import('../operation-search/operations-find.ts');
    return [...(await loadTools()), operationsFindTool(list)];
  });
  return (caller) => {
    const presenter = createPresenter(caller, listed);
    const workspace = createCredentialWorkspace();
    return async (name, args, scope, knowsLinks) => {
      const shared = { scope, caller, listed, findTool, workspace };
      const call = new ToolCall({ name, args }, shared);
      try {
        await runStages(stages, call);
        const { work } = call.result;
        const result = await presenter.result(call.tool.name, call.result, {
          knowsLinks,
          settings: call.settings,
        });
        return { result, ...(work && { work }) };
      } catch (thrown) {
        if (thrown instanceof ProtocolError || thrown instanceof InputRequired) throw thrown;
        const failure = scope.signal.aborted ? cancelled(thrown, call) : thrown;
        logFailure(log, name, failure);
        const check = (corrected: OperationCall) => checkUnsent(new ToolCall(corrected, shared));
        return { result: await presenter.failure(failure, call, check) };
      }
    };
  };
}

/** A stage does one thing to a call, or throws. */
type Stage = (call: ToolCall) => void | Promise<void>;

/** Nothing is read, sent or asked before these have passed. */
const argumentStages: readonly Stage[] = [
  refuseNotOffered,
  loadTool,
  fillSettingsDefaults,
  checkArguments,
];

/** For one workspace; none runs once there is a result. */
const workspaceStages: readonly Stage[] = [replayRecordedResult, elicitConfirmation, runOnce];

const stages: readonly Stage[] = [
  limitArguments,
  resolveDispatcher,
  ...argumentStages,
  openContext,
  fillWorkspace,
  runInWorkspace,
];

async function runStages(list: readonly Stage[], call: ToolCall): Promise<void> {
  for (const stage of list) await stage(call);
}

/** Before anything walks through the arguments. */
function limitArguments({ operation: { args } }: ToolCall): void {
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
  // Schemas leave it out, and nobody would know.
  if (hasPrototypeName(args)) {
    throw invalidArgument('__proto__', 'is not allowed as the name of a member');
  }
}

/** Puts the operation in the place of the dispatcher tool that was called. */
function resolveDispatcher(call: ToolCall): void {
  const { name, args } = call.operation;
  call.operation = resolveOperation(name, args, call.listed, call.settings);
  // Its arguments may have come as JSON text, whose members were not counted yet.
  if (call.operation.args !== args) limitArguments(call);
}

function refuseNotOffered(call: ToolCall): void {
  const { name } = call.operation;
  const entry = call.listed.get(name);
  if (entry === undefined) throw unknownTool(call);
  const why = whyNotOffered(entry, call.settings);
  if (why !== undefined) throw invalidParams(`The tool "${name}" is not offered: ${why}.`);
}

async function loadTool(call: ToolCall): Promise<void> {
  call.tool = await call.findTool(call.operation.name);
}

function fillSettingsDefaults(call: ToolCall): void {
  call.args = fillDefaults(call.entry, call.operation.args, call.settings);
}

/** The workspace of the credential is not known yet: any name stands for it. */
function checkArguments(call: ToolCall): void {
  const { args, lacksWorkspace } = call;
  call.prepared = call.tool.prepare(lacksWorkspace ? { ...args, workspace: 'own' } : args);
}

async function openContext(call: ToolCall): Promise<void> {
  const { caller, scope } = call;
  const context = await caller.makeContext(scope);
  call.account = await caller.account?.();
  const principal = principalOf(caller.principal, call.account);
  call.context = {
    ...context,
    pastCalls: async (wanted) => (await caller.idempotency?.())?.list(principal, wanted),
  };
}

async function fillWorkspace(call: ToolCall): Promise<void> {
  if (!call.lacksWorkspace) return;
  call.isInOwnWorkspace = true;
  call.useWorkspace(await call.workspace.known(call.context, call.account));
}

/** Once more where the service refused the call, and the credential is for another workspace. */
async function runInWorkspace(call: ToolCall): Promise<void> {
  try {
    await runStages(workspaceStages, call);
  } catch (thrown) {
    const isRefused = call.isInOwnWorkspace && asFoveaError(thrown).code === 'forbidden';
    const moved = isRefused ? await call.workspace.moved(call.context, call.account) : undefined;
    if (moved === undefined) throw thrown;
    call.useWorkspace(moved);
    await runStages(workspaceStages, call);
  }
}

/** An equal call that was made before gives its result. */
async function replayRecordedResult(call: ToolCall): Promise<void> {
  const { tool, args, context, caller, scope } = call;
  const idempotency = tool.effect === 'reads' ? undefined : await caller.idempotency?.();
  const principal = principalOf(caller.principal, call.account);
  const identity = { tool, args, principal, key: scope.key };
  call.identified = await idempotency?.identify(identity, context);
  call.outcome = call.identified?.recorded;
}

/** Asks the person at the host; a result stands in place of that of the tool. */
async function elicitConfirmation(call: ToolCall): Promise<void> {
  call.outcome ??= await call.prepared.elicit?.(call.context);
}

async function runOnce(call: ToolCall): Promise<void> {
  const run = () => call.prepared.run(call.context);
  call.outcome ??= await (call.identified === undefined ? run() : call.identified.run(run));
}

/** What is wrong with a call, as far as that shows before anything is read, sent or asked. */
async function checkUnsent(call: ToolCall): Promise<Checked> {
  try {
    if (!call.listed.has(call.operation.name)) resolveDispatcher(call);
    await runStages(argumentStages, call);
    call.prepared.checkConfirmation?.(call.scope.elicitation.canConfirm);
    return { call: call.operation };
  } catch (thrown) {
    return { call: call.operation, wrong: asFoveaError(thrown) };
  }
}

/** What one account did is shared with no other: neither its results, nor its keys. */
function principalOf(fixed = '', account: Account | undefined): string {
  return account === undefined ? fixed : JSON.stringify([fixed, account.person]);
}

function createFinder(loadTools: () => Promise<readonly Tool[]>) {
  // A failed load is tried again with the next call.
  const byName = lazyStart(
    async () => new Map((await loadTools()).map((tool) => [tool.name, tool])),
  );
  return async (name: string): Promise<Tool> => {
    const tool = (await byName.get()).get(name);
    if (tool === undefined) throw new Error(`tools/list.json lists ${name}, which does not exist`);
    return tool;
  };
}

function unknownTool({ operation, listed, settings }: ToolCall): ProtocolError {
  const shown = cleanText(operation.name).slice(0, 64);
  const offered = [...listed.values()].filter(
    (tool) => whyNotOffered(tool, settings) === undefined,
  );
  const near = meantOperation(
    operation.name,
    offered.map((tool) => tool.name),
  );
  const tool = listed.get(near ?? '');
  const right = tool ? `Did you mean ${calledAs(tool, settings)}?` : 'tools/list has all names.';
  return invalidParams(`There is no tool ${JSON.stringify(shown)}. ${right}`);
}

/** Not every tool profile lists the tool by its own name. */
function calledAs(tool: ListedTool, settings: ToolListSettings): string {
  const call = presentCall(tool, {}, settings);
  if (call.tool === tool.name) return `"${tool.name}"`;
  return `"${call.tool}" with the operation "${tool.name}"`;
}

function invalidParams(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}

/** The reason of an abort is a text of the host, and no failure of ours. */
function cancelled(cause: unknown, { listed, operation }: ToolCall): FoveaError {
  const isReading = listed.get(operation.name)?.effect === 'reads';
  const rest = isReading ? '' : ' What it had done by then stays.';
  return new FoveaError('cancelled', `The call was cancelled.${rest}`, { cause });
}

/** The words of an unforeseen error go to the log, where they cannot reach a model. */
function logFailure(log: Log, tool: string, thrown: unknown): void {
  const { code, cause } = asFoveaError(thrown);
  if (code !== 'internal') {
    log.debug('A call failed.', { tool, code });
    return;
  }
  const at = cause instanceof Error ? cause : new Error(String(cause));
  log.error('A call failed unforeseen.', { tool, error: at.name, at: framesOf(at)[0] ?? '' });
}

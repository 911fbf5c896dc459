// A tool call on its way through the stages: each stage sets what later stages read.

import type { Account } from '../../sign-in/session.ts';
import type { Idempotency, IdentifiedCall } from '../idempotency/idempotency.ts';
import type { PresenterOptions } from '../results/present-result.ts';
import type { CallerContext, PreparedCall, Tool, ToolContext, ToolResult } from '../tool.ts';
import type { ListedTool, ToolListSettings } from '../tool-list.ts';
import type { Arguments, OperationCall } from '../tool-profiles.ts';
import type { CredentialWorkspace } from './credential-workspace.ts';

/** What a context has from the call that it is made for. */
export interface CallScope
  extends Pick<ToolContext, 'signal' | 'progress' | 'elicitation' | 'linksEnd'> {
  /** Given by the host: a second call with the same key is the same call. */
  readonly key?: string | undefined;
  /** Whether the host shows pages beside answers, which have tools of their own. */
  readonly showsApps?: boolean;
}

/** What belongs to one caller. */
export interface CallerOptions extends PresenterOptions {
  readonly makeContext: (scope: CallScope) => Promise<CallerContext> | CallerContext;
  /** Who calls: the same text for the same credential. Undefined: there is one caller alone. */
  readonly principal?: string;
  /** Whose credential it is at this moment. Undefined: that cannot change. */
  readonly account?: () => Promise<Account | undefined>;
  /** Opened by the first call that changes something; undefined: no call is recorded. */
  readonly idempotency?: () => Promise<Idempotency | undefined>;
}

interface CallOrigin {
  readonly scope: CallScope;
  readonly caller: CallerOptions;
  /** The full list, by name. */
  readonly listed: ReadonlyMap<string, ListedTool>;
  readonly findTool: (name: string) => Promise<Tool>;
  readonly workspace: CredentialWorkspace;
}

export class ToolCall {
  /** What was called; behind a dispatcher tool, the operation with its own arguments. */
  operation: OperationCall;
  readonly scope: CallScope;
  readonly caller: CallerOptions;
  readonly listed: ReadonlyMap<string, ListedTool>;
  readonly findTool: (name: string) => Promise<Tool>;
  readonly workspace: CredentialWorkspace;
  account: Account | undefined;
  identified: IdentifiedCall | undefined;
  /** Whether it works in the workspace of the credential, since the call named none. */
  isInOwnWorkspace = false;
  /** Undefined: no stage has given a result yet. */
  outcome: ToolResult | undefined;
  #args: Arguments | undefined;
  #tool: Tool | undefined;
  #prepared: PreparedCall | undefined;
  #context: ToolContext | undefined;

  constructor(operation: OperationCall, origin: CallOrigin) {
    this.operation = operation;
    this.scope = origin.scope;
    this.caller = origin.caller;
    this.listed = origin.listed;
    this.findTool = origin.findTool;
    this.workspace = origin.workspace;
  }

  get settings(): ToolListSettings {
    const { showsApps = false } = this.scope;
    return showsApps ? { ...this.caller.settings, showsApps } : this.caller.settings;
  }

  get entry(): ListedTool {
    return required(this.listed.get(this.operation.name));
  }

  get tool(): Tool {
    return required(this.#tool);
  }

  set tool(tool: Tool) {
    this.#tool = tool;
  }

  /** The arguments with their defaults. */
  get args(): Arguments {
    return required(this.#args);
  }

  set args(args: Arguments) {
    this.#args = args;
  }

  get prepared(): PreparedCall {
    return required(this.#prepared);
  }

  set prepared(prepared: PreparedCall) {
    this.#prepared = prepared;
  }

  get context(): ToolContext {
    return required(this.#context);
  }

  set context(context: ToolContext) {
    this.#context = context;
  }

  get result(): ToolResult {
    return required(this.outcome);
  }

  /** Whether the tool needs a workspace, and neither the call nor the settings name one. */
  get lacksWorkspace(): boolean {
    const isNeeded = this.entry.inputSchema.required?.includes('workspace') ?? false;
    return isNeeded && (this.args.workspace ?? undefined) === undefined;
  }

  useWorkspace(workspace: string): void {
    this.args = { ...this.args, workspace };
    this.prepared = this.tool.prepare(this.args);
  }
}

/** A stage that reads what no stage before it has set is a fault of ours. */
function required<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('a stage of a tool call was left out');
  return value;
}

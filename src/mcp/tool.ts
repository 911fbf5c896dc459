// The shape of a tool.

import type * as z from 'zod';
import type { Clock } from '../clock.ts';
import { hasOwnOperations, type Settings } from '../config.ts';
import { check, withoutNulls } from '../contract/check.ts';
import type { Effect, Toolset } from '../contract/operation.ts';
import type { Scope } from '../contract/scopes.ts';
import type { FileRoots } from '../file-access/file-roots.ts';
import type { Client } from '../http-client/client.ts';
import type { MachineDiagnostics } from '../setup/machine-diagnostics.ts';
import type { SignInFlow } from '../sign-in/sign-in-flow.ts';
import type { PastCalls, WantedPastCalls } from './past-calls.ts';

/** A call that makes sense next, ready to be made. */
export interface NextCall {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly why: string;
}

/** A file on this machine that a tool wrote. */
export interface SavedFile {
  readonly path: string;
  readonly mimeType: string;
  readonly description: string;
}

/** An image that belongs to a result, shown by hosts that show images. */
export interface ToolImage {
  readonly data: Uint8Array;
  /** For example `image/jpeg`. */
  readonly mimeType: string;
}

/** What a person is asked to confirm: a call that cannot be undone, or that costs. */
export interface ConfirmationPrompt {
  /** Says what is done, to what, and that it cannot be undone or costs. */
  readonly message: string;
  /** Facts that must not change between the question and the answer. */
  readonly facts: unknown;
}

/** Which part of a list an answer shows. */
export interface Page {
  /** Rows in all, where the service says so. */
  readonly total?: number;
  /** What the rows are, where the answer tells of other things too: `versions`. */
  readonly rows?: string;
  readonly shown: number;
  /** Whether there are more. */
  readonly truncated: boolean;
  /** The arguments that get the following page. */
  readonly next?: Readonly<Record<string, unknown>>;
}

/** Work of the platform that goes on after the answer; its handle outlives this process. */
export type BackgroundTask =
  | { readonly kind: 'task'; readonly workspace: string; readonly taskId: string }
  | {
      readonly kind: 'version';
      readonly workspace: string;
      readonly project: string;
      readonly version: string;
    };

/** Members of `_meta` of a tool. */
export interface ToolMeta {
  /** The host asks its user before each call: for irreversible tools. */
  readonly requiresUserInteraction?: true;
  /** A longer answer than the host's own bound is worth it. */
  readonly maxResultSizeChars?: number;
}

/** Pages that hosts with MCP Apps show beside an answer; `ui://fovea/NAME`. */
export type AppName = 'contact-sheet' | 'event-timeline' | 'labelling' | 'evaluation';

export interface ToolResult {
  /** The status line: what happened, with the figures that matter. */
  readonly summary: string;
  /** The facts, complete. Becomes structuredContent. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly files?: readonly SavedFile[];
  /** The text describes them as well: not every host shows images. */
  readonly images?: readonly ToolImage[];
  readonly next?: readonly NextCall[];
  /** Which part of a list this is; stands before the rows. */
  readonly page?: Page;
  /** Work that goes on in the background: a task for hosts that support tasks. */
  readonly work?: BackgroundTask;
  /** For the page beside the answer: neither cut nor cleaned, since no model reads it. */
  readonly forPage?: unknown;
}

/** The answer of the person; `none`: no answer, or an error. */
export type ElicitationAction = 'accept' | 'decline' | 'cancel' | 'none';

/**
 * What a tool may ask the person at the host (MCP elicitation). A host of a stateless revision is
 * asked by a result: then both questions throw InputRequired, and the host repeats its request.
 */
export interface Elicitation {
  /** Whether the host can show its user a URL to open. */
  readonly canOpenUrl: boolean;
  /** Whether the host asks its user to confirm calls: then no parameter of the model counts. */
  readonly canConfirm: boolean;
  /** What a repeated request says of its URL; undefined: the request answers no question. */
  readonly urlAction: ElicitationAction | undefined;
  /** Asks the person to open a URL. Only where `canOpenUrl`. */
  openUrl(url: string, message: string): Promise<ElicitationAction>;
  /**
   * Resolves once the person agreed to this call of a tool, and to what `readPrompt` says at that
   * moment. Throws `forbidden` where they did not. Only where `canConfirm`.
   */
  confirm(
    call: { readonly tool: string; readonly input: object },
    readPrompt: () => Promise<ConfirmationPrompt>,
  ): Promise<void>;
}

/** Which Event Store the tools use: named by the settings, found, or started in this process. */
export interface EventStorePlace {
  /** `none`: the first call to one starts it. */
  readonly kind: 'named' | 'found' | 'embedded' | 'none';
  readonly url: string | undefined;
}

/**
 * Where people open the page of the platform: at its address, or by a command of this machine.
 * `unknown`: whoever runs the platform knows.
 */
export type PagePlace =
  | { readonly kind: 'address'; readonly url: string }
  | { readonly kind: 'command' | 'unknown' };

/** The services, settings and host that a tool works with. */
export interface ToolContext {
  readonly client: Client;
  /**
   * Where the Event Store is, without starting one; throws the error that would prevent a start.
   */
  eventStorePlace(): Promise<EventStorePlace>;
  /** Looked for at each call; left out: a command of this machine. */
  readonly pagePlace?: () => Promise<PagePlace>;
  readonly files: FileRoots;
  /** Loads the code for signing in with the first call; sends nothing yet. */
  signIn(): Promise<SignInFlow>;
  /** Diagnostics of this machine; loads its code with the first call. */
  machine(): Promise<MachineDiagnostics>;
  /** Calls of this caller that changed something; undefined: none are recorded. */
  pastCalls(wanted: WantedPastCalls): Promise<PastCalls | undefined>;
  readonly elicitation: Elicitation;
  readonly settings: Settings;
  readonly clock: Clock;
  /** Aborts when the host cancels the call. */
  readonly signal: AbortSignal;
  /** Whether links to the service end with this call, as its process does: none is offered. */
  readonly linksEnd?: boolean;
  /** Reported to the host where it gave a progress token. */
  progress(done: number, total: number | undefined, message: string): void;
}

/** Whether the platform has the operations that only ours have. */
export function isOwnPlatform(settings: Settings): boolean {
  return hasOwnOperations(settings);
}

/** What a context has before it is known whose call it is. */
export type CallerContext = Omit<ToolContext, 'pastCalls'>;

export interface Tool {
  readonly name: string;
  readonly toolset: Toolset | 'auth' | 'doctor' | 'operations';
  readonly title: string;
  /** When to use it, for the model. */
  readonly description: string;
  readonly effect: Effect;
  readonly recoverable: boolean;
  readonly idempotent: boolean;
  /** Whether it reaches anything beyond this machine. */
  readonly openWorld: boolean;
  /**
   * The OAuth scope of the tool. Undefined: none is needed, or the tool belongs to this machine.
   */
  readonly scope: Scope | undefined;
  /** Whether it cannot do without files of this machine: not offered to hosts elsewhere. */
  readonly usesFiles: boolean;
  /** Optional arguments that name files of this machine: not offered to hosts elsewhere. */
  readonly fileArguments?: readonly string[];
  /** Whether no documented operation of a hosted platform does it: not offered beside one. */
  readonly embeddedOnly?: true;
  readonly meta?: ToolMeta;
  readonly app?: AppName;
  /** Whether pages alone call it: no model is shown it, nor hosts without MCP Apps. */
  readonly appOnly?: true;
  /**
   * What an equal call within the repeat window does: `replayed` gives the first result, `made`
   * runs again, since equal calls may be meant. Undefined: `replayed` unless idempotent.
   */
  readonly repeated?: 'replayed' | 'made';
  /** Whether its result holds a secret, which is never kept. */
  readonly givesSecret?: boolean;
  readonly input: z.ZodObject;
  /** Checks the arguments and does nothing else. Throws a FoveaError. */
  prepare(args: unknown): PreparedCall;
}

/** A call whose arguments were checked. */
export interface PreparedCall {
  /**
   * Throws `invalid_input` where the arguments lack the name that confirms the call. `canConfirm`:
   * as in `Elicitation`.
   */
  checkConfirmation?(canConfirm: boolean): void;
  /** Asks the person at the host, before `run`. A result stands in place of that of `run`. */
  elicit?(context: ToolContext): Promise<ToolResult | undefined>;
  /** Throws a FoveaError. */
  run(context: ToolContext): Promise<ToolResult>;
}

/** A tool whose parameters are its own. */
export type ToolDefinition<Schema extends z.ZodObject> = Omit<Tool, 'input' | 'prepare'> & {
  readonly input: Schema;
  run(input: z.output<Schema>, context: ToolContext): Promise<ToolResult>;
};

/** A tool with a `run` of its own. */
export function tool<Schema extends z.ZodObject>(definition: ToolDefinition<Schema>): Tool {
  const { run, input, ...rest } = definition;
  return {
    ...rest,
    input,
    prepare: (args) => {
      const checked = check(input, withoutNulls(input, args));
      return { run: (context) => run(checked, context) };
    },
  };
}

/** The same tool, whose calls run inside `around`. */
export function wrapped(
  tool: Tool,
  around: (run: () => Promise<ToolResult>, context: ToolContext) => Promise<ToolResult>,
): Tool {
  return {
    ...tool,
    prepare: (args) => {
      const prepared = tool.prepare(args);
      return { ...prepared, run: (context) => around(() => prepared.run(context), context) };
    },
  };
}

// The shape of a tool.

import type * as z from 'zod';
import type { FileRoots } from '../boundary/file-roots.ts';
import type { Clock } from '../clock.ts';
import type { Settings } from '../config.ts';
import { check, withoutNulls } from '../contract/check.ts';
import type { Effect, Family } from '../contract/operation.ts';
import type { Scope } from '../contract/scopes.ts';
import type { Client } from '../http-client/client.ts';
import type { MachineDiagnostics } from '../setup/machine-diagnostics.ts';
import type { SignInFlow } from '../sign-in/sign-in-flow.ts';

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

/** A picture that belongs to a result, shown by hosts that show pictures. */
export interface ToolImage {
  readonly data: Uint8Array;
  /** For example `image/jpeg`. */
  readonly mimeType: string;
}

/** What the person at the host is asked: to open an address, or to agree to a change. */
export type Ask =
  | { readonly kind: 'open'; readonly url: string; readonly message: string }
  | {
      readonly kind: 'consent';
      readonly message: string;
      /** What exactly is agreed to, with all that must not have changed when it is done. */
      readonly target: string;
    };

/** What a person is asked before something is done that cannot be undone, or that costs. */
export interface ConfirmationPrompt {
  /** For the person: what is done, to what, and that it cannot be undone. */
  readonly message: string;
  /** What must not have changed between the question and the answer. */
  readonly facts: unknown;
}

/** Which part of a list an answer shows. */
export interface Page {
  /** Rows in all, where the service says so. */
  readonly total?: number;
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

/** What hosts are told of a tool beside the protocol, in `_meta`. */
export interface ToolMeta {
  /** A host asks its user at every call: for what is irreversible. */
  readonly requiresUserInteraction?: true;
  /** Words by which a host's search of tools finds it. */
  readonly searchHint?: string;
  /** A longer answer than the host's own bound is worth it. */
  readonly maxResultSizeChars?: number;
}

/** Pages that hosts with MCP Apps show beside an answer; `ui://fovea/NAME`. */
export type AppName = 'contact-sheet' | 'event-timeline';

export interface ToolResult {
  /** The status line: what happened, in our words, with the figures that matter. */
  readonly summary: string;
  /** The facts, complete. Becomes structuredContent. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly files?: readonly SavedFile[];
  /** The text says what they show: not every host shows pictures. */
  readonly images?: readonly ToolImage[];
  readonly next?: readonly NextCall[];
  /** Of a list: said before the rows. */
  readonly page?: Page;
  /** What goes on in the background: a task for hosts that know tasks. */
  readonly work?: BackgroundTask;
  /**
   * Asked of the host in place of the result. The tool then runs again and finds what the person
   * said in `person.answer`. Only where `person.canOpen` or `person.canConsent`.
   */
  readonly ask?: Ask;
}

/** What came back when the host was asked to open an address; `none`: nothing, or an error. */
export type ElicitationAction = 'accept' | 'decline' | 'cancel' | 'none';

/** Which Event Store the tools use: named by the settings, found, or started in this process. */
export interface EventStorePlace {
  /** `none`: the first call to one starts it. */
  readonly kind: 'named' | 'found' | 'embedded' | 'none';
  readonly url: string | undefined;
}

/** What a tool works with. */
export interface ToolContext {
  readonly client: Client;
  /** Where the Event Store is, without starting one; throws what would keep it from starting. */
  eventStorePlace(): Promise<EventStorePlace>;
  readonly files: FileRoots;
  /** Loads what signing in needs with the first call, and sends nothing yet. */
  signIn(): Promise<SignInFlow>;
  /** What is seen of this machine beside Fovea; loads what it needs with the first call. */
  machine(): Promise<MachineDiagnostics>;
  readonly person: {
    /** Whether the host can show its user an address to open. */
    readonly canOpen: boolean;
    /** Whether the host can ask its user to agree. */
    readonly canConsent: boolean;
    /** Undefined: it was not asked in this call. */
    readonly answer: ElicitationAction | undefined;
    /** The target that the answer is about, where it is about a change; empty: none any more. */
    readonly agreed?: string | undefined;
  };
  readonly settings: Settings;
  readonly clock: Clock;
  /** Aborts when the host cancels the call. */
  readonly signal: AbortSignal;
  /** Reported to the host where it gave a progress token. */
  progress(done: number, total: number | undefined, message: string): void;
}

export interface Tool {
  readonly name: string;
  readonly toolset: Family | 'auth' | 'doctor' | 'operations';
  readonly title: string;
  /** When to use it, for the model. */
  readonly description: string;
  readonly effect: Effect;
  readonly recoverable: boolean;
  readonly idempotent: boolean;
  /** Whether it reaches anything beyond this machine. */
  readonly openWorld: boolean;
  /** What an OAuth token must allow. Undefined: nothing, or the tool belongs to this machine. */
  readonly scope: Scope | undefined;
  /** Whether it cannot do without files of this machine: not offered to hosts elsewhere. */
  readonly usesFiles: boolean;
  /** Optional arguments that name files of this machine: not offered to hosts elsewhere. */
  readonly fileArguments?: readonly string[];
  /** Arguments that are taken, and not listed: too rare for what they cost in every list. */
  readonly hiddenArguments?: readonly string[];
  /** Words that stand in the list for the members of an argument. */
  readonly shortDescriptions?: Readonly<Record<string, string>>;
  readonly meta?: ToolMeta;
  readonly app?: AppName;
  /**
   * What an equal call within the window of the settings does: `replayed` gives the first result,
   * `made` runs again, since two equal ones are honest. Undefined: `replayed` unless idempotent.
   */
  readonly repeated?: 'replayed' | 'made';
  /** Whether its result holds a secret, which is never kept. */
  readonly givesSecret?: boolean;
  readonly input: z.ZodObject;
  /**
   * Throws a FoveaError for arguments that `call` would not take, and does nothing else: no call is
   * proposed that fails here. Undefined: only `call` can tell. `canConsent` as in `person`.
   */
  check?(args: unknown, canConsent: boolean): void;
  /** Checks the arguments, then runs. Throws a FoveaError. */
  call(args: unknown, context: ToolContext): Promise<ToolResult>;
}

/** The words and the run of a tool whose parameters are its own. */
export type ToolDefinition<Schema extends z.ZodObject> = Omit<Tool, 'input' | 'check' | 'call'> & {
  readonly input: Schema;
  run(input: z.output<Schema>, context: ToolContext): Promise<ToolResult>;
};

/** A tool with a `run` of its own. */
export function tool<Schema extends z.ZodObject>(definition: ToolDefinition<Schema>): Tool {
  const { run, input, ...rest } = definition;
  const read = (args: unknown) => check(input, withoutNulls(input, args));
  return {
    ...rest,
    input,
    check: (args) => void read(args),
    call: async (args, context) => run(read(args), context),
  };
}

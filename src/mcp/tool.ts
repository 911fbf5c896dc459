// The shape of a tool, and how one comes from an operation.

import * as z from 'zod';
import type { FileRoots } from '../boundary/file-roots.ts';
import type { Clock } from '../clock.ts';
import type { Settings } from '../config.ts';
import { check, checkInput, flatSchema, withoutNulls } from '../contract/check.ts';
import type { Answer, Effect, Family, Input, Operation } from '../contract/operation.ts';
import type { Scope } from '../contract/scopes.ts';
import { invalidArgument } from '../errors.ts';
import type { Client } from '../http-client/client.ts';
import type { Machine } from '../setup/machine.ts';
import type { SignInDesk } from '../sign-in/desk.ts';
import { openQuestion } from './agreement.ts';

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
export interface Question {
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
export type BackgroundWork =
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
  readonly work?: BackgroundWork;
  /**
   * Asked of the host in place of the result. The tool then runs again and finds what the person
   * said in `person.answer`. Only where `person.canOpen` or `person.canConsent`.
   */
  readonly ask?: Ask;
}

/** What came back when the host was asked to open an address; `none`: nothing, or an error. */
export type AskAnswer = 'accept' | 'decline' | 'cancel' | 'none';

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
  signIn(): Promise<SignInDesk>;
  /** What is seen of this machine beside Fovea; loads what it needs with the first call. */
  machine(): Promise<Machine>;
  readonly person: {
    /** Whether the host can show its user an address to open. */
    readonly canOpen: boolean;
    /** Whether the host can ask its user to agree. */
    readonly canConsent: boolean;
    /** Undefined: it was not asked in this call. */
    readonly answer: AskAnswer | undefined;
    /** The target that the answer is about, where it is about a change. */
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
  readonly family: Family | 'auth' | 'doctor' | 'operations';
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
  readonly unlisted?: readonly string[];
  /** Words that stand in the list for the members of an argument. */
  readonly inShort?: Readonly<Record<string, string>>;
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
  /** Checks the arguments, then runs. Throws a FoveaError. */
  call(args: unknown, context: ToolContext): Promise<ToolResult>;
}

/** The words and the run of a tool whose parameters are its own. */
type Words<Schema extends z.ZodObject> = Omit<Tool, 'input' | 'call'> & {
  readonly input: Schema;
  run(input: z.output<Schema>, context: ToolContext): Promise<ToolResult>;
};

/** A tool with a `run` of its own. */
export function tool<Schema extends z.ZodObject>(words: Words<Schema>): Tool {
  const { run, input, ...rest } = words;
  return {
    ...{ ...rest, input },
    call: async (args, context) => run(check(input, withoutNulls(input, args)), context),
  };
}

/** What a tool takes over from its operation, unless it says otherwise. */
type Inherited =
  | ('name' | 'family' | 'effect' | 'recoverable' | 'idempotent' | 'openWorld')
  | ('scope' | 'usesFiles');

/** A tool for an operation that has parameters or steps of its own; it keeps name and hints. */
export function toolFor<Schema extends z.ZodObject>(
  operation: Operation,
  words: Omit<Words<Schema>, Inherited> & Partial<Pick<Tool, Inherited>>,
): Tool {
  return tool({ ...inherited(operation), ...words });
}

/** The exact name of what is acted on, asked for because the call cannot be undone. */
interface Confirmation<O extends Operation> {
  /** What to repeat, for the model: "Repeat keyId". */
  readonly description: string;
  /** The only value that lets the call through where the host cannot ask its user. */
  expected(input: Input<O>): string;
  /** What the user is asked where the host can; read from the service, so that it is true. */
  question(input: Input<O>, context: ToolContext): Promise<Question>;
}

interface OperationWords<O extends Operation> {
  readonly title: string;
  readonly description: string;
  /** The parameters that hosts are shown; all of the operation's, unless that is too much. */
  readonly offered?: z.ZodObject;
  /** Asked for as the parameter `confirm`, and checked before anything is sent. */
  readonly confirmation?: Confirmation<O>;
  /** What it costs at a hosted platform, said and agreed to before anything is sent. */
  cost?(input: Input<O>, context: ToolContext): Promise<Question>;
  /** The status line for an answer. */
  summarize(answer: Answer<O>, input: Input<O>): string;
  /** The part of the answer that the model needs; all of it when left out. */
  project?(answer: Answer<O>, input: Input<O>): Readonly<Record<string, unknown>>;
  /** Of a large answer: what most calls need. All of it comes with `detail: "full"`. */
  brief?(answer: Answer<O>, input: Input<O>): Readonly<Record<string, unknown>>;
  next?(answer: Answer<O>, input: Input<O>): readonly NextCall[];
  /** Which part of the list this is. */
  page?(answer: Answer<O>, input: Input<O>, isBrief: boolean): Page;
  /** What goes on in the background. */
  work?(answer: Answer<O>, input: Input<O>): BackgroundWork | undefined;
  readonly unlisted?: readonly string[];
  readonly inShort?: Readonly<Record<string, string>>;
  readonly meta?: ToolMeta;
  readonly app?: AppName;
  readonly repeated?: 'replayed' | 'made';
  readonly givesSecret?: boolean;
}

const irreversible: ToolMeta = { requiresUserInteraction: true };

/** A tool that makes one call; name, schema, hints and dispatch come from the operation. */
export function fromOperation<O extends Operation>(operation: O, words: OperationWords<O>): Tool {
  const { title, description, unlisted, inShort, app, repeated, givesSecret } = words;
  // Whatever is confirmed cannot be undone.
  const meta = words.confirmation ? { ...irreversible, ...words.meta } : words.meta;
  const parameters = (all: z.ZodObject) => withAgreement(withDetail(all, words), words);
  const taken = parameters(flatSchema(operation));
  return {
    ...inherited(operation),
    title,
    description,
    ...(unlisted && { unlisted }),
    ...(inShort && { inShort }),
    ...(meta && { meta }),
    ...(app && { app }),
    ...(repeated && { repeated }),
    ...(givesSecret !== undefined && { givesSecret }),
    input: words.offered ? parameters(words.offered) : taken,
    call: async (given, context) => {
      const { args, isBrief } = detailOf(words, withoutNulls(taken, given));
      const { input, said } = inputOf(operation, words, args);
      const question = await openQuestionOf(operation, words, { input, said, context });
      if (question !== undefined) return question;
      const { body, ageMs } = await context.client.call(operation, input, {
        signal: context.signal,
      });
      return resultOf(words, body, input, { ageMs, isBrief });
    },
  };
}

const detail = z.enum(['brief', 'full']).optional().describe('Default brief.');

function withDetail<O extends Operation>(input: z.ZodObject, { brief }: OperationWords<O>) {
  return brief ? input.extend({ detail }) : input;
}

function detailOf<O extends Operation>({ brief }: OperationWords<O>, given: unknown) {
  if (!brief) return { args: given, isBrief: false };
  const { detail: wanted, ...args } = asRecord(given);
  const { detail: level = 'brief' } = check(z.strictObject({ detail }), { detail: wanted });
  return { args, isBrief: level === 'brief' };
}

function resultOf<O extends Operation>(
  words: OperationWords<O>,
  body: Answer<O>,
  input: Input<O>,
  { ageMs, isBrief }: { readonly ageMs: number; readonly isBrief: boolean },
): ToolResult {
  const part = isBrief ? words.brief?.(body, input) : words.project?.(body, input);
  const data = part ?? asRecord(body);
  const next = words.next?.(body, input) ?? [];
  const summary = `${words.summarize(body, input)}${ageNote(ageMs)}`;
  const page = words.page?.(body, input, isBrief);
  const work = words.work?.(body, input);
  return {
    ...{ summary, data },
    ...(next.length > 0 && { next }),
    ...(page && { page }),
    ...(work && { work }),
  };
}

/** An answer as the facts of a result: a list or a plain value gets a name. */
export function asRecord(body: unknown): Readonly<Record<string, unknown>> {
  if (body === undefined || body === null || body === '') return {};
  return typeof body === 'object' && !Array.isArray(body) ? { ...body } : { answer: body };
}

/** Some operations may be asked only now and then; between two times, the last answer is given. */
function ageNote(ageMs: number): string {
  return ageMs > 0 ? ` As of ${Math.ceil(ageMs / 1000)} s ago: it is too early to ask again.` : '';
}

function inherited(operation: Operation): Pick<Tool, Inherited> {
  const { id, family, effect, recoverable, idempotent, scope } = operation;
  const hints = { effect, recoverable, idempotent, openWorld: true };
  return { name: id, family, ...hints, scope, usesFiles: false };
}

/** The parameters by which a model says that what it calls for is wanted. */
function withAgreement<O extends Operation>(
  input: z.ZodObject,
  { confirmation, cost }: OperationWords<O>,
): z.ZodObject {
  return input.extend({
    ...(confirmation && { confirm: z.string().describe(confirmation.description) }),
    ...(cost && {
      accept_cost: z.boolean().optional().describe('The user agreed to the cost.'),
    }),
  });
}

/** What was said beside the input of the operation. */
interface Said {
  readonly confirm?: unknown;
  readonly accept_cost?: unknown;
}

function inputOf<O extends Operation>(
  operation: O,
  { confirmation, cost }: OperationWords<O>,
  args: unknown,
): { readonly input: Input<O>; readonly said: Said } {
  if (!confirmation && !cost) return { input: checkInput(operation, args), said: {} };
  const { confirm, accept_cost, ...rest } = asRecord(args);
  const others = {
    ...(!confirmation && confirm !== undefined && { confirm }),
    ...(!cost && accept_cost !== undefined && { accept_cost }),
  };
  return {
    input: checkInput(operation, { ...rest, ...others }),
    said: { ...(confirmation && { confirm }), ...(cost && { accept_cost }) },
  };
}

interface Asked<O extends Operation> {
  readonly input: Input<O>;
  readonly said: Said;
  readonly context: ToolContext;
}

/** What is said or asked in place of the call; undefined: it may be made. */
async function openQuestionOf<O extends Operation>(
  operation: O,
  { confirmation, cost }: OperationWords<O>,
  { input, said, context }: Asked<O>,
): Promise<ToolResult | undefined> {
  const { canConsent } = context.person;
  if (confirmation) {
    checkConfirmed(said.confirm, confirmation.expected(input), canConsent);
    if (!canConsent) return undefined;
    const question = () => confirmation.question(input, context);
    const ask = await openQuestion(operation.id, asRecord(input), question, context);
    return ask && { summary: ask.message, data: {}, ask };
  }
  // The embedded platform charges nothing.
  if (!cost || context.settings.baseUrl === undefined) return undefined;
  if (!canConsent && said.accept_cost === true) return undefined;
  const question = () => cost(input, context);
  const ask = await openQuestion(operation.id, asRecord(input), question, context);
  return ask && costsFirst(operation.id, asRecord(input), ask);
}

/** Where the host asks, a name that is missing is no mistake; a wrong one always is. */
function checkConfirmed(confirm: unknown, expected: string, canConsent: boolean): void {
  if (confirm === expected || (confirm === undefined && canConsent)) return;
  throw invalidArgument(
    'confirm',
    `must be "${expected}": this cannot be undone; nothing was changed`,
  );
}

/** Asked where the host can ask; else the model does, and calls again. */
function costsFirst(tool: string, input: object, ask: Ask): ToolResult {
  const call = { tool, arguments: { ...input, accept_cost: true } };
  return {
    summary: `Nothing was started: it costs. ${ask.message}`,
    data: { started: false },
    next: [{ ...call, why: 'Starts it, once the user agreed to the cost.' }],
    ask,
  };
}

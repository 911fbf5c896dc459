// Makes tools from operations.

import * as z from 'zod';
import { check, checkInput, flatSchema, withoutNulls } from '../contract/check.ts';
import type { Answer, Input, Operation } from '../contract/operation.ts';
import { invalidInput, type Problem } from '../errors.ts';
import { asRecord } from '../json-object.ts';
import {
  type ConfirmationOptions,
  checkConfirmed,
  confirmFirst,
  type GivenConfirmation,
  withConfirmationParameters,
} from './elicitation/confirmation.ts';
import { callLong } from './long-call.ts';
import {
  type BackgroundTask,
  type NextCall,
  type Page,
  type Tool,
  type ToolContext,
  type ToolDefinition,
  type ToolMeta,
  type ToolResult,
  tool,
} from './tool.ts';

/** Members that a tool takes from its operation, unless it sets its own. */
type Inherited =
  | ('name' | 'toolset' | 'effect' | 'recoverable' | 'idempotent' | 'openWorld')
  | ('scope' | 'usesFiles');

/** A tool for an operation that has parameters or steps of its own; it keeps name and hints. */
export function toolFor<Schema extends z.ZodObject>(
  operation: Operation,
  options: Omit<ToolDefinition<Schema>, Inherited> & Partial<Pick<Tool, Inherited>>,
): Tool {
  return tool({ ...inherited(operation), ...options });
}

/** The members of a tool that its operation does not have. */
type ToolTexts = Pick<Tool, 'title' | 'description' | 'meta' | 'app' | 'repeated' | 'givesSecret'>;

interface OperationToolOptions<O extends Operation> extends ConfirmationOptions<O>, ToolTexts {
  /** The parameters that hosts are shown; all of the operation's, unless that is too much. */
  readonly offered?: z.ZodObject;
  /** A combination of arguments that is useless or unsupported: refused before anything is sent. */
  mistake?(input: Input<O>): Problem | undefined;
  /** What is done meanwhile, where it may take minutes: hosts are told. */
  readonly meanwhile?: string;
  /** The answer with facts that are read after the call. */
  complete?(answer: Answer<O>, input: Input<O>, context: ToolContext): Promise<Answer<O>>;
  /** The status line for an answer. */
  summarize(answer: Answer<O>, input: Input<O>): string;
  /** The part of the answer that the model needs; all of it when left out. */
  project?(answer: Answer<O>, input: Input<O>): Readonly<Record<string, unknown>>;
  /** The part of a large answer that most calls need. `detail: "full"` gives all of it. */
  brief?(answer: Answer<O>, input: Input<O>): Readonly<Record<string, unknown>>;
  next?(answer: Answer<O>, input: Input<O>): readonly NextCall[];
  /** Which part of the list this is. */
  page?(answer: Answer<O>, input: Input<O>, isBrief: boolean): Page;
  /** What goes on in the background. */
  work?(answer: Answer<O>, input: Input<O>): BackgroundTask | undefined;
}

const irreversible: ToolMeta = { requiresUserInteraction: true };

/** A tool that makes one call; name, schema, hints and dispatch come from the operation. */
export function fromOperation<O extends Operation>(
  operation: O,
  options: OperationToolOptions<O>,
): Tool {
  const { title, description, app, repeated, givesSecret } = options;
  // A call that needs a confirmation cannot be undone.
  const meta = options.confirmation ? { ...irreversible, ...options.meta } : options.meta;
  const parameters = (all: z.ZodObject) =>
    withConfirmationParameters(withDetail(all, options), options);
  const taken = parameters(flatSchema(operation));
  const beside = Object.keys(parameters(z.object({})).shape);
  const read = (unchecked: unknown) => {
    const { args, isBrief } = detailOf(options, withoutNulls(taken, unchecked));
    return { ...inputOf(operation, options, args, beside), isBrief };
  };
  return {
    ...inherited(operation),
    title,
    description,
    ...(meta && { meta }),
    ...(app && { app }),
    ...(repeated && { repeated }),
    ...(givesSecret !== undefined && { givesSecret }),
    input: options.offered ? parameters(options.offered) : taken,
    prepare: (args) => {
      const { input, given, isBrief } = read(args);
      return {
        checkConfirmation: (canConfirm) => {
          const { confirmation } = options;
          if (confirmation) checkConfirmed(given.confirm, confirmation.expected(input), canConfirm);
        },
        elicit: (context) => confirmFirst(operation, options, { input, given, context }),
        run: async (context) => {
          const { client, signal } = context;
          const { body, ageMs } =
            options.meanwhile === undefined
              ? await client.call(operation, input, { signal })
              : await callLong(context, operation, input, options.meanwhile);
          const answer = (await options.complete?.(body, input, context)) ?? body;
          return resultOf(options, answer, input, { ageMs, isBrief });
        },
      };
    },
  };
}

const detail = z.enum(['brief', 'full']).optional().describe('How much is told; default brief.');

function withDetail<O extends Operation>(input: z.ZodObject, { brief }: OperationToolOptions<O>) {
  return brief ? input.extend({ detail }) : input;
}

function detailOf<O extends Operation>({ brief }: OperationToolOptions<O>, given: unknown) {
  if (!brief) return { args: given, isBrief: false };
  const { detail: wanted, ...args } = asRecord(given);
  const { detail: level = 'brief' } = check(z.strictObject({ detail }), { detail: wanted });
  return { args, isBrief: level === 'brief' };
}

function resultOf<O extends Operation>(
  options: OperationToolOptions<O>,
  body: Answer<O>,
  input: Input<O>,
  { ageMs, isBrief }: { readonly ageMs: number; readonly isBrief: boolean },
): ToolResult {
  const part = isBrief ? options.brief?.(body, input) : options.project?.(body, input);
  const data = part ?? asRecord(body);
  const next = options.next?.(body, input) ?? [];
  const summary = `${options.summarize(body, input)}${ageNote(ageMs)}`;
  const page = options.page?.(body, input, isBrief);
  const work = options.work?.(body, input);
  return {
    summary,
    data,
    ...(next.length > 0 && { next }),
    ...(page && { page }),
    ...(work && { work }),
  };
}

/** Some operations may be asked only now and then; between two times, the last answer is given. */
function ageNote(ageMs: number): string {
  return ageMs > 0 ? ` As of ${Math.ceil(ageMs / 1000)} s ago: it is too early to ask again.` : '';
}

function inherited(operation: Operation): Pick<Tool, Inherited> {
  const { id, toolset, effect, recoverable, idempotent, scope } = operation;
  const hints = { effect, recoverable, idempotent, openWorld: true };
  return { name: id, toolset, ...hints, scope, usesFiles: false };
}

function inputOf<O extends Operation>(
  operation: O,
  { confirmation, cost, mistake }: OperationToolOptions<O>,
  args: unknown,
  beside: readonly string[],
): { readonly input: Input<O>; readonly given: GivenConfirmation } {
  const { confirm, accept_cost, ...rest } = asRecord(args);
  const others = {
    ...(!confirmation && confirm !== undefined && { confirm }),
    ...(!cost && accept_cost !== undefined && { accept_cost }),
  };
  const input = checkInput(operation, { ...rest, ...others }, beside);
  const wrong = mistake?.(input);
  if (wrong !== undefined) throw invalidInput([wrong]);
  return {
    input,
    given: { ...(confirmation && { confirm }), ...(cost && { accept_cost }) },
  };
}

// The shape of a tool, and how one comes from an operation.

import type * as z from 'zod';
import type { FileRoots } from '../boundary/file-roots.ts';
import type { Clock } from '../clock.ts';
import type { Settings } from '../config.ts';
import { check, checkInput, flatSchema } from '../contract/check.ts';
import type { Answer, Effect, Family, Input, Operation } from '../contract/operation.ts';
import type { Client } from '../http-client/client.ts';

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

export interface ToolResult {
  /** The status line: what happened, in our words, with the figures that matter. */
  readonly summary: string;
  /** The facts, complete. Becomes structuredContent. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly files?: readonly SavedFile[];
  readonly next?: readonly NextCall[];
}

/** What a tool works with. */
export interface ToolContext {
  readonly client: Client;
  readonly files: FileRoots;
  readonly settings: Settings;
  readonly clock: Clock;
  /** Aborts when the host cancels the call. */
  readonly signal: AbortSignal;
  /** Reported to the host where it gave a progress token. */
  progress(done: number, total: number | undefined, message: string): void;
}

export interface Tool {
  readonly name: string;
  readonly family: Family | 'auth' | 'doctor';
  readonly title: string;
  /** When to use it, for the model. */
  readonly description: string;
  readonly effect: Effect;
  readonly recoverable: boolean;
  readonly idempotent: boolean;
  /** Whether it reaches anything beyond this machine. */
  readonly openWorld: boolean;
  readonly input: z.ZodObject;
  /** Checks the arguments, then runs. Throws a FoveaError. */
  call(args: unknown, context: ToolContext): Promise<ToolResult>;
}

type Words<Schema extends z.ZodObject> = Omit<Tool, 'input' | 'call'> & {
  readonly input: Schema;
  run(input: z.output<Schema>, context: ToolContext): Promise<ToolResult>;
};

/** A tool with a `run` of its own. */
export function tool<Schema extends z.ZodObject>(words: Words<Schema>): Tool {
  const { run, ...rest } = words;
  return { ...rest, call: async (args, context) => run(check(words.input, args), context) };
}

interface OperationWords<O extends Operation> {
  readonly title: string;
  readonly description: string;
  /** The status line for an answer. */
  summarize(answer: Answer<O>, input: Input<O>): string;
  /** The part of the answer that the model needs; all of it when left out. */
  project?(answer: Answer<O>, input: Input<O>): Readonly<Record<string, unknown>>;
  next?(answer: Answer<O>, input: Input<O>): readonly NextCall[];
}

/** A tool that makes one call; name, schema, hints and dispatch come from the operation. */
export function fromOperation<O extends Operation>(operation: O, words: OperationWords<O>): Tool {
  return {
    name: operation.id,
    family: operation.family,
    title: words.title,
    description: words.description,
    effect: operation.effect,
    recoverable: operation.recoverable,
    idempotent: operation.idempotent,
    openWorld: true,
    input: flatSchema(operation),
    call: async (args, { client, signal }) => {
      const input = checkInput(operation, args);
      const { body } = await client.call(operation, input, { signal });
      const data = words.project?.(body, input) ?? asRecord(body);
      const next = words.next?.(body, input);
      return { summary: words.summarize(body, input), data, ...(next && { next }) };
    },
  };
}

function asRecord(body: unknown): Readonly<Record<string, unknown>> {
  if (body === undefined || body === null || body === '') return {};
  return typeof body === 'object' && !Array.isArray(body) ? { ...body } : { answer: body };
}

// What became of a call, as its row keeps it: told by its error, or by its result.

import * as z from 'zod';
import { asFoveaError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { Tool, ToolResult } from '../tool.ts';

/** `lost`: sent, and nobody knows what it did; `failed`: surely nothing was done. */
export type Ended = 'done' | 'lost' | 'failed';

/** What became of a call that threw. */
export function outcomeOf(thrown: unknown): Ended {
  const { code, wasSent } = asFoveaError(thrown);
  // A failure of ours may have come after the answer.
  const isOpen = wasSent ?? code === 'internal';
  return isOpen ? 'lost' : 'failed';
}

/** A result as it is kept; undefined: it is not. Images are never kept. */
export function toKept(tool: Tool, result: ToolResult): string | undefined {
  const { images: _images, ...rest } = result;
  const text = JSON.stringify(tool.givesSecret ? { ids: idsOf(result) } : { result: rest });
  return text.length > limits.storedResultCharactersMax ? undefined : text;
}

/** What a row kept of a result: all of it, or the ids of what was made. */
export interface Kept {
  readonly result?: ToolResult;
  readonly ids: Readonly<Record<string, string>>;
}

export function fromKept(text: string | undefined): Kept {
  const { result, ids = {} } = keptSchema.parse(JSON.parse(text ?? '{}'));
  return { ...(result && { result }), ids };
}

/** An id is no secret, and tells where to look. */
function idsOf({ data }: ToolResult): Record<string, string> {
  const ids = Object.entries(data).flatMap(([name, value]) =>
    /(^id|Id)$/.test(name) && typeof value === 'string' && /^[\w-]{1,64}$/.test(value)
      ? [[name, value] as const]
      : [],
  );
  return Object.fromEntries(ids);
}

const members = z.record(z.string(), z.unknown());

const workSchema = z.union([
  z.object({ kind: z.literal('task'), workspace: z.string(), taskId: z.string() }),
  z.object({
    kind: z.literal('version'),
    workspace: z.string(),
    project: z.string(),
    version: z.string(),
  }),
]);

const resultSchema = z.object({
  summary: z.string(),
  data: members,
  files: z
    .array(z.object({ path: z.string(), mimeType: z.string(), description: z.string() }))
    .exactOptional(),
  next: z
    .array(z.object({ tool: z.string(), arguments: members, why: z.string() }))
    .exactOptional(),
  page: z
    .object({
      total: z.number().exactOptional(),
      shown: z.number(),
      truncated: z.boolean(),
      next: members.exactOptional(),
    })
    .exactOptional(),
  work: workSchema.exactOptional(),
});

const keptSchema = z.object({
  result: resultSchema.exactOptional(),
  ids: z.record(z.string(), z.string()).exactOptional(),
});

// completion/complete: values that start with the typed text first, then values that contain it.

import { limits } from '../../limits.ts';
import { type CallOptions, readOnlyScope } from '../tool-call/pipeline.ts';
import type { AvailableTools } from '../tool-profiles.ts';
import { cleanLine } from '../untrusted-text.ts';
import { sources, workspaceOf } from './value-sources.ts';

/** The values that were read for one argument. */
interface Remembered {
  readonly values: readonly string[];
  readonly untilMs: number;
}

/** Belongs to one credential: other callers may see other values. */
export type CompletionMemory = Map<string, Remembered>;

export interface CompletionOptions {
  readonly makeContext: CallOptions['makeContext'];
  readonly available: AvailableTools;
  readonly memory: CompletionMemory;
}

export interface Typed {
  /** Name of the argument. */
  readonly name: string;
  /** As far as it was typed. */
  readonly value: string;
  /** Arguments that have a value already. */
  readonly chosen: Readonly<Record<string, string>>;
}

/** A completion only helps: where it fails, there are no values. Throws when it is cancelled. */
export async function complete(typed: Typed, options: CompletionOptions, signal: AbortSignal) {
  const all = await valuesOf(typed, options, signal).catch(() => []);
  signal.throwIfAborted();
  const wanted = typed.value.toLowerCase();
  const found = all.filter((value) => value.toLowerCase().includes(wanted));
  const [first, rest] = [true, false].map((isFirst) =>
    found.filter((value) => value.toLowerCase().startsWith(wanted) === isFirst),
  );
  const values = [...(first ?? []), ...(rest ?? [])];
  return {
    completion: {
      values: values.slice(0, limits.completionsMax),
      total: values.length,
      hasMore: values.length > limits.completionsMax,
    },
  };
}

async function valuesOf(
  { name, chosen }: Typed,
  { makeContext, available, memory }: CompletionOptions,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const source = Object.hasOwn(sources, name) ? sources[name] : undefined;
  if (source === undefined || !available.offers(source.tool)) return [];
  const context = await makeContext(readOnlyScope(signal));
  const key = JSON.stringify([name, chosen.project]);
  const now = context.clock.monotonic();
  const known = memory.get(key);
  if (known !== undefined && now < known.untilMs) return known.values;
  const read = await source.values(await workspaceOf(context), chosen, context);
  // A value with control characters could not be sent back unchanged; a longer one is no id.
  const { foreignIdCharactersMax: charactersMax } = limits;
  const values = read.flatMap((value) =>
    value && value.length <= charactersMax && cleanLine(value) === value ? [value] : [],
  );
  if (memory.size >= limits.completionsMax) memory.clear();
  memory.set(key, { values, untilMs: now + limits.completionMemoryMs });
  return values;
}

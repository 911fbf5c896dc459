// Checks a large value member by member first: zod collects problems without a limit, so it gets a
// large value as a whole only when no member has a problem.

import * as z from 'zod';
// `z.core` would bring the error texts of fifty languages into memory.
import { $ZodCheckMaxLength } from 'zod/v4/core';
import type { Problem } from '../errors.ts';
import { isPlainObject } from '../json-object.ts';
import { limits } from '../limits.ts';
import {
  alternatives,
  memberSchema,
  type Path,
  type Schema,
  unwrapped,
} from './schema-introspection.ts';
import type { StringifiedJsonReader } from './stringified-json.ts';
import { explain, pathText } from './validation-problems.ts';

/** Whether a value is too large to be checked at once. */
export function isLarge(value: unknown): boolean {
  return hasMoreValues(value, limits.checkedAtOnceMax);
}

/**
 * Problems of the members of a large value, at most as many as are shown. Rules over the whole
 * value, and unions, are not checked here.
 */
export function problemsOfLargeValue(
  schema: Schema,
  value: unknown,
  reader: StringifiedJsonReader,
  path: Path = [],
): readonly Problem[] {
  if (!isLarge(value)) return problemsOfSmallValue(schema, value, reader, path);
  // Only the whole value tells which option of a union is meant.
  if (alternatives(schema).length > 1) return [];
  const excess = lengthExcess(schema, value, path);
  if (excess) return [excess];
  const problems: Problem[] = [];
  for (const [key, member] of membersOfValue(value)) {
    const schemaOfMember = memberSchema(schema, key);
    if (schemaOfMember)
      problems.push(...problemsOfLargeValue(schemaOfMember, member, reader, [...path, key]));
    if (problems.length >= limits.problemsShownMax) break;
  }
  return problems;
}

function problemsOfSmallValue(
  schema: Schema,
  value: unknown,
  reader: StringifiedJsonReader,
  path: Path,
) {
  const first = z.safeParse(schema, value);
  if (first.success) return [];
  const before = reader.problems.length;
  const read = reader.read(schema, value, path);
  if (reader.problems.length > before) return reader.problems.slice(before);
  if (read === value) return explain(schema, first.error, value, path).problems;
  return problemsOfLargeValue(schema, read, reader, path);
}

/** Elements of a list that is too long are not checked. */
function lengthExcess(schema: Schema, value: unknown, path: Path): Problem | undefined {
  const list = unwrapped(schema);
  if (!(list instanceof z.ZodArray) || !Array.isArray(value)) return undefined;
  const bounds = (list._zod.def.checks ?? []).flatMap((rule) =>
    rule instanceof $ZodCheckMaxLength ? [rule._zod.def.maximum] : [],
  );
  const most = Math.min(...bounds);
  if (value.length <= most) return undefined;
  return { path: pathText(path), message: `must have at most ${most} items, has ${value.length}` };
}

function membersOfValue(value: unknown): Iterable<readonly [string | number, unknown]> {
  if (Array.isArray(value)) return value.entries();
  return isPlainObject(value) ? Object.entries(value) : [];
}

/** Whether a value contains more than `most` values, at any depth. */
function hasMoreValues(value: unknown, most: number): boolean {
  let left = most;
  const waiting: unknown[] = [value];
  for (let next = waiting.pop(); waiting.length > 0 || next !== undefined; next = waiting.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    if (!Array.isArray(next) && !isPlainObject(next)) continue;
    const members: readonly unknown[] = Array.isArray(next) ? next : Object.values(next);
    left -= members.length;
    if (left < 0) return true;
    for (const member of members) if (typeof member === 'object') waiting.push(member);
  }
  return false;
}

// A large value against a schema, piece by piece: the schema library has no bound for what it finds
// wrong, so a value is only given to it as a whole when the first pieces are right.

import * as z from 'zod';
import type { Problem } from '../errors.ts';
import { isPlainObject } from '../json-object.ts';
import { limits } from '../limits.ts';
import type { TextReader } from './json-in-text.ts';
import { explain, pathText } from './problems.ts';
import { alternatives, bare, memberSchema, type Path, type Schema } from './schema.ts';
import { isLarger } from './values.ts';

/** Whether a value is too large to be checked in one go. */
export function isLarge(value: unknown): boolean {
  return isLarger(value, limits.checkedAtOnceMax);
}

/**
 * What is wrong with the pieces of a value, no more than is shown. None: nothing was found, but
 * rules over all of the value, and of unions, were not looked at.
 */
export function problemsInPieces(
  schema: Schema,
  value: unknown,
  reader: TextReader,
  path: Path = [],
): readonly Problem[] {
  if (!isLarge(value)) return problemsOfPiece(schema, value, reader, path);
  // Which option of a union is meant, only the whole value tells.
  if (alternatives(schema).length > 1) return [];
  const excess = lengthExcess(schema, value, path);
  if (excess) return [excess];
  const problems: Problem[] = [];
  for (const [key, member] of piecesOf(value)) {
    const own = memberSchema(schema, key);
    if (own) problems.push(...problemsInPieces(own, member, reader, [...path, key]));
    if (problems.length >= limits.problemsShownMax) break;
  }
  return problems;
}

function problemsOfPiece(schema: Schema, value: unknown, reader: TextReader, path: Path) {
  const first = z.safeParse(schema, value);
  if (first.success) return [];
  const before = reader.problems.length;
  const read = reader.read(schema, value, path);
  if (reader.problems.length > before) return reader.problems.slice(before);
  if (read === value) return explain(schema, first.error, value, path).problems;
  return problemsInPieces(schema, read, reader, path);
}

/** A list that is too long is not looked into. */
function lengthExcess(schema: Schema, value: unknown, path: Path): Problem | undefined {
  const list = bare(schema);
  if (!(list instanceof z.ZodArray) || !Array.isArray(value)) return undefined;
  const bounds = (list._zod.def.checks ?? []).flatMap((rule) =>
    rule instanceof z.core.$ZodCheckMaxLength ? [rule._zod.def.maximum] : [],
  );
  const most = Math.min(...bounds);
  if (value.length <= most) return undefined;
  return { path: pathText(path), message: `must have at most ${most} items, has ${value.length}` };
}

function piecesOf(value: unknown): Iterable<readonly [string | number, unknown]> {
  if (Array.isArray(value)) return value.entries();
  return isPlainObject(value) ? Object.entries(value) : [];
}

// Texts that cannot be stored everywhere: PostgreSQL takes no U+0000 and no half of a surrogate
// pair, and what SQLite took could not be moved there.

import type { Problem } from '../errors.ts';
import { isPlainObject } from '../json-object.ts';
import { limits } from '../limits.ts';
import { halfOfCharacter } from './fields.ts';
import type { Path } from './schema-introspection.ts';
import { pathText } from './validation-problems.ts';

/** Problems of all texts in a value, and of the names of its members, as many as are shown. */
export function unstorableTexts(value: unknown): readonly Problem[] {
  const problems: Problem[] = [];
  const waiting: Place[] = [{ value, key: undefined, above: undefined }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const [key, member] of membersOf(next.value)) {
      const isName = typeof key === 'string';
      const ofName = isName ? wrongWith(key) : undefined;
      const ofText = typeof member === 'string' ? wrongWith(member) : undefined;
      if (ofName !== undefined) {
        problems.push({ path: pathText(pathOf(next)), message: `the name of a member ${ofName}` });
      } else if (ofText !== undefined) {
        problems.push({ path: pathText([...pathOf(next), key]), message: ofText });
      }
      if (problems.length === limits.problemsShownMax) return problems;
      if (typeof member === 'object') waiting.push({ value: member, key, above: next });
    }
  }
  return problems;
}

/** The same text, with a mark in place of what cannot be stored. */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}

/** The same value with texts that can be stored; names of members stay. */
export function withStorableTexts(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_, member: unknown) =>
    typeof member === 'string' ? storableText(member) : member,
  );
}

interface Place {
  readonly value: unknown;
  readonly key: string | number | undefined;
  readonly above: Place | undefined;
}

function membersOf(value: unknown): Iterable<readonly [string | number, unknown]> {
  if (Array.isArray(value)) return value.entries();
  return isPlainObject(value) ? Object.entries(value) : [];
}

function wrongWith(text: string): string | undefined {
  if (text.includes('\0')) return 'has U+0000, a character that cannot be stored';
  if (!text.isWellFormed()) return halfOfCharacter;
  return undefined;
}

function pathOf(place: Place): Path {
  const keys: (string | number)[] = [];
  for (let at: Place | undefined = place; at !== undefined; at = at.above) {
    if (at.key !== undefined) keys.unshift(at.key);
  }
  return keys;
}

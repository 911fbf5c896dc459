// Reads and changes members of nested settings by path.

import { isDeepStrictEqual } from 'node:util';
import { isPlainObject } from '../json-object.ts';

export type SettingPath = readonly string[];

/** How a file is laid out. */
export interface TextStyle {
  readonly lineEnd: string;
  /** One level: a tab, or blanks. */
  readonly indent: string;
}

export function valueAt(root: unknown, path: SettingPath): unknown {
  let value = root;
  for (const name of path) {
    if (!isPlainObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

/** A copy with a member set, or removed where the value is undefined. */
export function withValueAt(root: unknown, path: SettingPath, value: unknown): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  const members = isPlainObject(root) ? root : {};
  if (rest.length === 0 && value === undefined) {
    return Object.fromEntries(Object.entries(members).filter(([other]) => other !== name));
  }
  return { ...members, [name]: withValueAt(members[name], rest, value) };
}

/** The members of a value that differ from an earlier value, recursively. */
export function newIn(value: unknown, earlier: unknown): unknown {
  if (!isPlainObject(value) || !isPlainObject(earlier)) return value;
  const changed = Object.entries(value).filter(
    ([name, member]) => !isDeepStrictEqual(member, earlier[name]),
  );
  return Object.fromEntries(changed.map(([name, member]) => [name, newIn(member, earlier[name])]));
}

/** Gives all objects the same prototype: parsers differ in it. */
export function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]));
}

/** Indents every line that is not blank. */
export function indented(text: string, by: string): string {
  return text.replace(/^(?=.)/gm, by);
}

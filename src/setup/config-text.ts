// Writes one member of a configuration file and keeps all other text.

import { isDeepStrictEqual } from 'node:util';
import { isPlainObject } from '../json-object.ts';
import { editJson, readJson } from './json-text.ts';
import {
  plain,
  type SettingPath,
  type TextStyle,
  valueAt,
  withValueAt,
} from './nested-settings.ts';
import { editToml, readToml } from './toml-text.ts';
import { editYaml, readYaml } from './yaml-text.ts';

/** A language of configuration files. */
interface Language {
  /** All values of the text. Throws for invalid syntax. */
  readonly read: (text: string) => unknown;
  /** The text with a member set, or removed where the value is undefined. May give up and throw. */
  readonly edit: (text: string, path: SettingPath, value: unknown, style: TextStyle) => string;
}

const languages: Readonly<Record<'json' | 'toml' | 'yaml', Language>> = {
  json: { read: readJson, edit: editJson },
  toml: { read: readToml, edit: editToml },
  yaml: { read: readYaml, edit: editYaml },
};

export type LanguageName = keyof typeof languages;

/** The text cannot be edited with a certain outcome. */
export class NotUnderstood extends Error {
  override readonly name = 'NotUnderstood';
}

/** The value at a path; undefined: it has none. Throws `NotUnderstood`. */
export function readMember(language: LanguageName, text: string, path: SettingPath): unknown {
  return valueAt(parsed(language, withoutMark(text)), path);
}

/**
 * The text with an entry at a path, or without it where `entry` is undefined. Of an existing entry
 * only the given members change. The result is parsed again and must hold exactly the old values
 * and the entry. Throws `NotUnderstood`.
 */
export function writeMember(
  language: LanguageName,
  text: string,
  path: SettingPath,
  entry: Readonly<Record<string, unknown>> | undefined,
): string {
  const body = withoutMark(text);
  const before = parsed(language, body);
  refuseOddWay(before, path);
  const style = styleOf(body);
  let after = body;
  let expected = before;
  for (const [at, value] of changes(before, path, entry)) {
    after = edited(language, after, at, value, style);
    expected = withValueAt(expected, at, value);
  }
  if (!isDeepStrictEqual(comparable(language, after, path), plain(withoutEmpty(expected, path)))) {
    throw new NotUnderstood(notSafely);
  }
  return text.slice(0, text.length - body.length) + after;
}

const notSafely = 'is written in a way that Fovea cannot extend safely';

function comparable(language: LanguageName, text: string, path: SettingPath): unknown {
  try {
    return plain(withoutEmpty(languages[language].read(text), path));
  } catch (cause) {
    throw new NotUnderstood(notSafely, { cause });
  }
}

const byteOrderMark = '\uFEFF';

function withoutMark(text: string): string {
  return text.startsWith(byteOrderMark) ? text.slice(1) : text;
}

function parsed(language: LanguageName, text: string): unknown {
  let value: unknown;
  try {
    value = languages[language].read(text);
  } catch (cause) {
    throw new NotUnderstood(`is no ${language.toUpperCase()} that can be read`, { cause });
  }
  if (isPlainObject(value)) return value;
  throw new NotUnderstood('does not hold settings by name');
}

function edited(
  language: LanguageName,
  text: string,
  at: SettingPath,
  value: unknown,
  style: TextStyle,
): string {
  try {
    return languages[language].edit(text, at, value, style);
  } catch (cause) {
    throw new NotUnderstood(notSafely, { cause });
  }
}

/** The members on the path to the entry must be groups of settings. */
function refuseOddWay(root: unknown, path: SettingPath): void {
  for (let depth = 1; depth < path.length; depth += 1) {
    const value = valueAt(root, path.slice(0, depth));
    if (value !== undefined && value !== null && !isPlainObject(value)) {
      throw new NotUnderstood(`has something else than servers in "${path[depth - 1]}"`);
    }
  }
}

type Change = readonly [SettingPath, unknown];

function changes(
  root: unknown,
  path: SettingPath,
  entry: Readonly<Record<string, unknown>> | undefined,
): readonly Change[] {
  const found = valueAt(root, path);
  if (entry === undefined) return found === undefined ? [] : [[path, undefined]];
  if (!isPlainObject(found)) return [[path, entry]];
  return Object.entries(entry).flatMap(([name, value]): readonly Change[] => {
    const at = [...path, name];
    if (isPlainObject(value)) return changes(root, at, value);
    return isDeepStrictEqual(found[name], value) ? [] : [[at, value]];
  });
}

/** An empty group counts as absent: not all languages can write one. */
function withoutEmpty(root: unknown, path: SettingPath): unknown {
  let value = root;
  for (let depth = path.length; depth > 0; depth -= 1) {
    const at = path.slice(0, depth);
    const found = valueAt(value, at);
    if (found === null || (isPlainObject(found) && Object.keys(found).length === 0)) {
      value = withValueAt(value, at, undefined);
    }
  }
  return value;
}

/** As the text is written already; two blanks where it does not say. */
function styleOf(text: string): TextStyle {
  const indent = /^(\t| {1,8})\S/m.exec(text)?.[1] ?? '  ';
  return { lineEnd: text.includes('\r\n') ? '\r\n' : '\n', indent };
}

// TOML: edits tables line by line; the caller parses the result again.

import { parse, stringify } from 'smol-toml';
import { isPlainObject } from '../json-object.ts';
import { type SettingPath, type TextStyle, valueAt, withValueAt } from './nested-settings.ts';

/** Throws for invalid TOML. */
export function readToml(text: string): unknown {
  return parse(text);
}

/** Throws where a table is written otherwise than under its own header. */
export function editToml(
  text: string,
  path: SettingPath,
  value: unknown,
  style: TextStyle,
): string {
  if (value === undefined) return withoutTable(text, path);
  if (isPlainObject(value)) return withTable(text, path, value, style);
  const table = path.slice(0, -1);
  const key = path.at(-1) ?? '';
  if (tableAt(lines(text), table) !== undefined) return withKey(text, table, key, value, style);
  const outer = path.slice(0, -2);
  const inline = valueAt(parse(text), table);
  if (inline === undefined) return withTable(text, table, { [key]: value }, style);
  // The table stands as `name = { … }` within the one around it.
  return withKey(text, outer, table.at(-1) ?? '', withValueAt(inline, [key], value), style);
}

/** With its line end, each. */
function lines(text: string): readonly string[] {
  return text.split(/(?<=\n)/);
}

const header = /^[ \t]*\[{1,2}[ \t]*([^\]]+?)[ \t]*\]{1,2}[ \t]*(?:#.*)?\r?\n?$/;

/** The dotted name of a table header as a path; undefined for other lines. */
function headerOf(line: string): SettingPath | undefined {
  const name = header.exec(line)?.[1];
  if (name === undefined) return undefined;
  const parts = name.match(/"[^"]*"|'[^']*'|[\w-]+/g) ?? [];
  return parts.map((part) => part.replace(/^["']|["']$/g, ''));
}

/** The lines of a table: from its header, up to the next header. */
function tableAt(all: readonly string[], path: SettingPath) {
  const from = all.findIndex((line) => headerOf(line)?.join('\0') === path.join('\0'));
  if (from === -1) return undefined;
  const next = all.findIndex((line, at) => at > from && headerOf(line) !== undefined);
  return { from, to: next === -1 ? all.length : next };
}

/** New tables go to the end, after a blank line. */
function withTable(
  text: string,
  path: SettingPath,
  value: Readonly<Record<string, unknown>>,
  { lineEnd }: TextStyle,
): string {
  const within = path.reduceRight<Readonly<Record<string, unknown>>>(
    (inner, name) => ({ [name]: inner }),
    value,
  );
  const table = stringify(within).trim().replaceAll('\n', lineEnd);
  const gap = text === '' ? '' : text.endsWith('\n') ? lineEnd : lineEnd + lineEnd;
  return `${text}${gap}${table}${lineEnd}`;
}

function withKey(
  text: string,
  table: SettingPath,
  key: string,
  value: unknown,
  style: TextStyle,
): string {
  const all = lines(text);
  const place = tableAt(all, table);
  if (place === undefined) throw new Error('the table has no header of its own');
  const found = keyAt(all, place, key);
  const shown = isPlainObject(value) ? inlineTable(key, value) : stringify({ [key]: value }).trim();
  const at = found ?? { from: place.from + 1, to: place.from + 1, beside: '' };
  const head = all.slice(0, at.from).join('');
  const gap = head.endsWith('\n') ? '' : style.lineEnd;
  return [head, gap, shown, at.beside, style.lineEnd, ...all.slice(at.to)].join('');
}

/** The lines of one key, which grow until they can be read, and the comment beside the last. */
function keyAt(all: readonly string[], { from, to }: { from: number; to: number }, key: string) {
  const name = new RegExp(`^[ \\t]*(?:${key}|"${key}"|'${key}')[ \\t]*=`);
  const start = all.findIndex((line, at) => at > from && at < to && name.test(line));
  if (start === -1) return undefined;
  for (let end = start + 1; end <= to; end += 1) {
    if (canBeRead(all.slice(start, end).join(''))) {
      const beside = /[ \t]+#[^"'\r\n]*(?=\r?\n?$)/.exec(all[end - 1] ?? '')?.[0] ?? '';
      return { from: start, to: end, beside };
    }
  }
  return undefined;
}

function canBeRead(text: string): boolean {
  try {
    parse(text);
    return true;
  } catch {
    return false;
  }
}

function inlineTable(key: string, value: Readonly<Record<string, unknown>>): string {
  return `${key} = { ${stringify(value).trim().replaceAll('\n', ', ')} }`;
}

/** With the tables below it, and the blank line before it. */
function withoutTable(text: string, path: SettingPath): string {
  const all = lines(text);
  const isWithin = (line: string) =>
    headerOf(line)?.slice(0, path.length).join('\0') === path.join('\0');
  const from = all.findIndex(isWithin);
  if (from === -1) throw new Error('the table has no header of its own');
  const next = all.findIndex((line, at) => at > from && headerOf(line) && !isWithin(line));
  const isSpaced = /^\r?\n$/.test(all[from - 1] ?? '');
  const before = all.slice(0, isSpaced ? from - 1 : from);
  return [...before, ...(next === -1 ? [] : all.slice(next))].join('');
}

// YAML: members are put between the lines that are there, since its writer would lay out all anew.

import { isMap, isScalar, type Pair, parseDocument, stringify, type YAMLMap } from 'yaml';
import { indented, type SettingPath, type TextStyle } from './nested-settings.ts';

/** An empty text holds no settings. Throws for invalid YAML. */
export function readYaml(text: string): unknown {
  return documentOf(text).toJS() ?? {};
}

/** Throws where a map is written within braces. */
export function editYaml(
  text: string,
  path: SettingPath,
  value: unknown,
  style: TextStyle,
): string {
  const key = path.at(-1) ?? '';
  const around = path.slice(0, -1);
  const document = documentOf(text);
  const map = around.length === 0 ? document.contents : document.getIn(around, true);
  if (map === undefined || map === null || isEmpty(map)) {
    // An empty document has no map; its text holds comments at most.
    if (around.length === 0) return append(text, { [key]: value }, style);
    return editYaml(text, around, { [key]: value }, style);
  }
  if (!isMap(map) || map.flow) throw new Error('a map is written within braces');
  const found = map.items.find((pair) => isScalar(pair.key) && pair.key.value === key);
  if (value === undefined) return found === undefined ? text : remove(text, map, found);
  return found === undefined
    ? insert(text, map, { [key]: value }, style)
    : replace(text, found, { [key]: value }, style);
}

function documentOf(text: string) {
  const document = parseDocument(text);
  if (document.errors.length > 0) throw new Error('no YAML');
  return document;
}

function isEmpty(node: unknown): boolean {
  if (isScalar(node)) return node.value === null;
  return isMap(node) && node.items.length === 0;
}

type Range = readonly [number, number, number];

function rangeOf(node: unknown): Range {
  const isNode = typeof node === 'object' && node !== null && 'range' in node;
  if (!isNode || !Array.isArray(node.range)) throw new Error('a part has no place in the text');
  const [start, end, after] = node.range.map(Number);
  if (start === undefined || end === undefined || after === undefined) throw new Error('no range');
  return [start, end, after];
}

/** The letters before a member on its line. */
function columnOf(text: string, pair: Pair): string {
  const [start] = rangeOf(pair.key);
  const line = text.slice(text.lastIndexOf('\n', start - 1) + 1, start);
  if (!/^ *$/.test(line)) throw new Error('a member does not stand on a line of its own');
  return line;
}

function linesOf(value: unknown, column: string, { lineEnd, indent }: TextStyle): string {
  const step = indent === '\t' ? 2 : Math.max(indent.length, 1);
  const text = stringify(value, { lineWidth: 0, indent: step });
  return indented(text, column).replaceAll('\n', lineEnd);
}

function append(text: string, value: unknown, style: TextStyle): string {
  const gap = text === '' || text.endsWith('\n') ? '' : style.lineEnd;
  return `${text}${gap}${linesOf(value, '', style)}`;
}

/** After the last member and the comments that belong to it. */
function insert(text: string, map: YAMLMap, value: unknown, style: TextStyle): string {
  const last = map.items.at(-1);
  if (last === undefined) throw new Error('the map is empty');
  const column = columnOf(text, last);
  const at = endOfPair(text, last, column.length);
  const head = text.slice(0, at);
  const gap = head.endsWith('\n') ? '' : style.lineEnd;
  return `${head}${gap}${linesOf(value, column, style)}${text.slice(at)}`;
}

/** Where the line after a member and its own comments begins. */
function endOfPair(text: string, pair: Pair, column: number): number {
  const [, end] = rangeOf(pair.value ?? pair.key);
  const newline = text[end - 1] === '\n' ? end - 1 : text.indexOf('\n', end);
  let at = newline === -1 ? text.length : newline + 1;
  for (let comment = commentAt(text, at); comment !== undefined; comment = commentAt(text, at)) {
    if (comment.column < Math.max(column, 1)) break;
    at += comment.length;
  }
  return at;
}

function commentAt(text: string, at: number) {
  const found = /^( *)#[^\n]*(?:\n|$)/.exec(text.slice(at));
  return found === null ? undefined : { column: found[1]?.length ?? 0, length: found[0].length };
}

/** What stands beside the old value on its line stays. */
function replace(text: string, pair: Pair, value: unknown, style: TextStyle): string {
  const column = columnOf(text, pair);
  const [start] = rangeOf(pair.key);
  const [, end] = rangeOf(pair.value ?? pair.key);
  const kept = text.slice(0, end).trimEnd().length;
  const lines = linesOf(value, column, style).trimEnd().slice(column.length);
  return text.slice(0, start) + lines + text.slice(kept);
}

function remove(text: string, map: YAMLMap, pair: Pair): string {
  const column = columnOf(text, pair);
  const [start] = rangeOf(pair.key);
  const from = start - column.length;
  const rest = text.slice(endOfPair(text, pair, column.length));
  // A map that loses its last member would be nothing, which some programs take for a mistake.
  const empty = map.items.length === 1 && column !== '' ? `${column}{}\n` : '';
  return text.slice(0, from) + empty + rest;
}

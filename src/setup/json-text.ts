// Edits JSON with comments, as hosts read it.

import {
  applyEdits,
  findNodeAtLocation,
  getNodeValue,
  modify,
  type Node,
  type ParseError,
  parseTree,
} from 'jsonc-parser';
import { indented, type SettingPath, type TextStyle } from './nested-settings.ts';

const options = { allowTrailingComma: true, allowEmptyContent: true };

/**
 * An empty text has no settings. Throws for invalid JSON. Reads by the tree, since `parse` of the
 * package takes a member `__proto__` for the prototype.
 */
export function readJson(text: string): unknown {
  if (text.trim() === '') return {};
  const problems: ParseError[] = [];
  const tree = parseTree(text, problems, options);
  if (tree === undefined || problems.length > 0) throw new Error('no JSON');
  return getNodeValue(tree);
}

/** Throws where the file has nothing that the path can lead through. */
export function editJson(
  text: string,
  path: SettingPath,
  value: unknown,
  style: TextStyle,
): string {
  const root = text.trim() === '' ? `{}${style.lineEnd}` : text;
  const byLine =
    value === undefined ? withoutLines(root, path) : addedOnLine(root, path, value, style);
  if (byLine !== undefined) return byLine;
  const { lineEnd: eol, indent } = style;
  const insertSpaces = indent !== '\t';
  const formattingOptions = { insertSpaces, tabSize: insertSpaces ? indent.length : 1, eol };
  // A file or group on one line stays on one line.
  const isOneLine = isOnOneLine(root, path);
  return applyEdits(root, modify(root, [...path], value, isOneLine ? {} : { formattingOptions }));
}

/** Whether the nearest non-empty group on the path has all members on one line. */
function isOnOneLine(text: string, path: SettingPath): boolean {
  const tree = parseTree(text, [], options);
  const groups = path.map((_name, at) => tree && nodeAt(tree, path.slice(0, at)));
  const group = groups.findLast((node) => node?.type === 'object' && node.children?.length);
  if (group === undefined) return false;
  return !text.slice(group.offset, group.offset + group.length).includes('\n');
}

/**
 * Adds a member on lines of its own after the last one and its comment, which the package would
 * move away. Undefined: the case does not apply.
 */
function addedOnLine(
  text: string,
  path: SettingPath,
  value: unknown,
  style: TextStyle,
): string | undefined {
  const tree = parseTree(text, [], options);
  if (tree === undefined || findNodeAtLocation(tree, [...path]) !== undefined) return undefined;
  const depth = path.findIndex((_name, at) => nodeAt(tree, path.slice(0, at + 1)) === undefined);
  const last = nodeAt(tree, path.slice(0, depth))?.children?.at(-1);
  if (last === undefined) return undefined;
  const end = last.offset + last.length;
  const rest = /^[ \t]*(,)?[ \t]*(?:\/\*.*?\*\/[ \t]*)*(?:\/\/[^\r\n]*)?(?=\r?\n)/.exec(
    text.slice(end),
  );
  const start = /(?:^|\n)([ \t]*)$/.exec(text.slice(0, last.offset))?.[1];
  if (rest === null || start === undefined) return undefined;
  const at = end + rest[0].length;
  const member = memberText(path.slice(depth), value, style);
  const comma = rest[1] ?? '';
  const lines = indented(member, start).replaceAll('\n', style.lineEnd);
  return [
    text.slice(0, end),
    comma === '' ? ',' : '',
    text.slice(end, at),
    style.lineEnd,
    lines,
    comma,
    text.slice(at),
  ].join('');
}

/** The lines of a member gone, and a comma that would be left over. Undefined: another case. */
function withoutLines(text: string, path: SettingPath): string | undefined {
  const tree = parseTree(text, [], options);
  const node = tree && nodeAt(tree, path)?.parent;
  const siblings = node?.parent?.children ?? [];
  if (node === undefined) return undefined;
  const start = /(?:^|\n)[ \t]*$/.exec(text.slice(0, node.offset));
  const end = /^[ \t]*(,)?[ \t]*(?:\/\/[^\r\n]*)?\r?\n/.exec(text.slice(node.offset + node.length));
  if (start === null || end === null) return undefined;
  const rest = text.slice(node.offset + node.length + end[0].length);
  const head = text.slice(0, node.offset).replace(/[ \t]*$/, '');
  const previous = siblings[siblings.indexOf(node) - 1];
  if (previous === undefined || end[1] !== undefined) return head + rest;
  const at = previous.offset + previous.length;
  return head[at] === ',' ? head.slice(0, at) + head.slice(at + 1) + rest : undefined;
}

function nodeAt(tree: Node, path: SettingPath): Node | undefined {
  return path.length === 0 ? tree : findNodeAtLocation(tree, [...path]);
}

function memberText(
  [name = '', ...inner]: SettingPath,
  value: unknown,
  { indent }: TextStyle,
): string {
  const nested = inner.reduceRight<unknown>((within, each) => ({ [each]: within }), value);
  return `${JSON.stringify(name)}: ${JSON.stringify(nested, null, indent)}`;
}

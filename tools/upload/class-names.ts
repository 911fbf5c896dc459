// Class names by number, as YOLO files need them: a names file, or the data.yaml of a dataset.

import { extname } from 'node:path';
import type { FileRoots } from '../../src/boundary/file-roots.ts';
import { invalidArgument } from '../../src/errors.ts';
import { limits } from '../../src/limits.ts';
import { readText } from './read-text.ts';

export type Labelmap = Readonly<Record<string, string>>;

/**
 * The classes of a file with one name per line, or of a YAML file with `names` as a list or as a
 * map. Throws `invalid_input` naming `argument` when there are none.
 */
export async function readClassNames(
  files: FileRoots,
  path: string,
  argument: string,
): Promise<Labelmap> {
  const real = await files.readable(path, argument);
  const text = await readText(real, argument, limits.nameListBytesMax);
  const isYaml = ['.yaml', '.yml'].includes(extname(real).toLowerCase());
  const names = isYaml ? namesOfYaml(text) : linesOf(text);
  const labelmap = Array.isArray(names) ? Object.fromEntries(names.entries()) : names;
  if (Object.keys(labelmap).length > 0) return labelmap;
  const right = isYaml ? 'a key "names" with a list or a map' : 'one class name per line';
  throw invalidArgument(argument, `"${path}" has no class names; expected ${right}`);
}

function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  // A blank line in the middle would shift all later classes, so only those at the end go.
  while (lines.at(-1) === '') lines.pop();
  return lines;
}

/** The `names` of a data.yaml: `[a, b]`, `{0: a}`, or one indented line each. */
function namesOfYaml(text: string): string[] | Labelmap {
  const lines = text.split(/\r?\n/).map(withoutComment);
  const start = lines.findIndex((line) => /^names\s*:/.test(line));
  if (start === -1) return [];
  const inline = (lines[start] ?? '').replace(/^names\s*:\s*/, '');
  const rest = lines.slice(start + 1);
  if (/^[[{]/.test(inline)) return namesOfFlow([inline, ...rest].join(' '));
  const end = rest.findIndex((line) => /^[^\s-]/.test(line));
  return namesOfEntries(end === -1 ? rest : rest.slice(0, end));
}

function namesOfFlow(text: string): string[] | Labelmap {
  const close = text.startsWith('[') ? ']' : '}';
  const parts: string[] = [''];
  let quote = '';
  for (const character of text.slice(1)) {
    if (quote === '' && character === close) break;
    if (quote === '' && character === ',') parts.push('');
    else parts.push(`${parts.pop()}${character}`);
    if (character === quote) quote = '';
    else if (quote === '' && `'"`.includes(character)) quote = character;
  }
  return close === ']' ? parts.map(unquoted).filter((name) => name !== '') : namesOfEntries(parts);
}

/** Lines `- name` in order, or `number: name`. */
function namesOfEntries(entries: readonly string[]): string[] | Labelmap {
  const list = entries.flatMap((entry) => /^\s*-\s+(.+)$/.exec(entry)?.[1] ?? []);
  if (list.length > 0) return list.map(unquoted);
  const pairs = entries.flatMap((entry) => {
    const [, id, name] = /^\s*["']?(\d+)["']?\s*:\s*(.+)$/.exec(entry) ?? [];
    return id === undefined || name === undefined ? [] : [[id, unquoted(name)]];
  });
  return Object.fromEntries(pairs);
}

function withoutComment(line: string): string {
  return line.replace(/(^|\s)#.*$/, '');
}

function unquoted(text: string): string {
  const trimmed = text.trim();
  return /^(['"]).*\1$/.test(trimmed) ? trimmed.slice(1, -1) : trimmed;
}

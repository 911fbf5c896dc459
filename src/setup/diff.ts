// Shows what a change does to a file, for people and agents to review.

import { FILE_HEADERS_ONLY, formatPatch, structuredPatch } from 'diff';
import { isPlainObject } from '../json-object.ts';

/**
 * A unified diff that only shows lines made of the given settings of ours: lines of other settings
 * may hold secrets that no pattern finds.
 */
export function showDiff(
  path: string,
  before: string | undefined,
  after: string | undefined,
  ours: unknown,
): string {
  const names = [before, after].map((text) => (text === undefined ? '/dev/null' : path));
  const [oldName = path, newName = path] = names;
  const patch = structuredPatch(oldName, newName, before ?? '', after ?? '', '', '', {
    context: 0,
  });
  const isOurs = lineOf(ours);
  const hunks = patch.hunks.map((hunk) => ({
    ...hunk,
    lines: hunk.lines.map((line) => shown(line, isOurs)),
  }));
  return formatPatch({ ...patch, hunks }, FILE_HEADERS_ONLY);
}

type LineTest = (text: string) => boolean;

function shown(line: string, isOurs: LineTest): string {
  const sign = line.slice(0, 1);
  const text = line.slice(1).trimEnd();
  // The remark that a file has no line end is of the diff itself.
  if (sign === '\\' || isOurs(text)) return `${sign}${text}`;
  return `${sign}${/^[ \t]*/.exec(text)?.[0] ?? ''}(other settings)`;
}

/** Tells lines that hold words of these settings and signs of the three languages, nothing else. */
function lineOf(settings: unknown): LineTest {
  const words = [...new Set(wordsOf(settings).flatMap((word) => [word, inQuotes(word)]))]
    .filter((word) => word !== '')
    // A text may contain a shorter one.
    .toSorted((a, b) => b.length - a.length);
  return (text) => {
    const rest = words.reduce((left, word) => left.replaceAll(word, ' '), text);
    return /^[\s"'{}[\],:=.-]*$/.test(rest);
  };
}

function wordsOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(wordsOf);
  if (!isPlainObject(value)) return [String(value)];
  return Object.entries(value).flatMap(([name, member]) => [name, ...wordsOf(member)]);
}

/** Escaped as the configuration languages write strings. */
function inQuotes(word: string): string {
  return JSON.stringify(word).slice(1, -1);
}

// Parses glob patterns: `*`, `?`, `[a-z]`, `{a,b}`, `{1..9}` and `**` for folders of any depth. The
// size of the expansion is checked before it is built, and `..` is refused.

import { limits } from '../limits.ts';

/** One part of a path: a name as it is, any folders, or names that match. */
export type GlobPart =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'any folders' }
  | { readonly kind: 'match'; matches(name: string): boolean };

/** Why a pattern is invalid: the rest of a sentence that begins with the pattern. */
export class PatternProblem extends Error {}

export function hasWildcard(text: string): boolean {
  return /[*?[{]/.test(text);
}

/** Throws `PatternProblem`. */
export function checkLength(pattern: string): void {
  if (pattern.length <= limits.globCharactersMax) return;
  throw new PatternProblem(`has more than ${limits.globCharactersMax} characters`);
}

/** The patterns without braces that a pattern stands for, in parts. Throws `PatternProblem`. */
export function parseGlob(pattern: string): readonly (readonly GlobPart[])[] {
  checkLength(pattern);
  if (/[@!+?*]\(/.test(pattern)) {
    throw new PatternProblem('has a group like @(a|b), which is not known: write {a,b}');
  }
  return expandBraces(pattern).map(parseParts);
}

function parseParts(pattern: string): readonly GlobPart[] {
  if (pattern.startsWith('/')) throw new PatternProblem('must not have a "/" first in a brace');
  const names = pattern.split('/').filter((name) => name !== '' && name !== '.');
  if (names.includes('..')) throw new PatternProblem('must not have ".." after a wildcard');
  if (names.length > limits.globPartsMax) {
    throw new PatternProblem(`goes deeper than ${limits.globPartsMax} folders`);
  }
  // Any folders below any folders are any folders.
  const different = names.filter((name, place) => name !== '**' || names[place - 1] !== '**');
  return different.map((name): GlobPart => {
    if (name === '**') return { kind: 'any folders' };
    if (!/[*?[]/.test(name)) return { kind: 'name', name };
    return { kind: 'match', matches: nameMatcher(name) };
  });
}

/** `a{b,c{d,e}}` as `ab`, `acd`, `ace`. Braces without a comma or a range are characters. */
function expandBraces(pattern: string): readonly string[] {
  const open: string[] = [pattern];
  const done: string[] = [];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const brace = firstBrace(next);
    if (brace === undefined) done.push(next);
    else {
      const { start, end, choices } = brace;
      const [before, after] = [next.slice(0, start), next.slice(end + 1)];
      // From the last on: the first is on top then.
      for (const choice of choices.toReversed()) open.push(before + choice + after);
    }
    if (open.length + done.length > limits.globAlternativesMax) throw tooManyAlternatives();
  }
  return done;
}

function tooManyAlternatives(): PatternProblem {
  return new PatternProblem(`has braces for more than ${limits.globAlternativesMax} patterns`);
}

interface Brace {
  readonly start: number;
  readonly end: number;
  readonly choices: readonly string[];
}

function firstBrace(text: string): Brace | undefined {
  for (let start = text.indexOf('{'); start >= 0; start = text.indexOf('{', start + 1)) {
    const commas: number[] = [];
    const end = closing(text, start, commas);
    if (end === undefined) continue;
    const inside = text.slice(start + 1, end);
    const choices = commas.length > 0 ? splitAt(text, start, end, commas) : rangeOf(inside);
    if (choices !== undefined) return { start, end, choices };
  }
  return undefined;
}

/** Finds the end of a brace; `commas` gets the positions of its commas, without nested ones. */
function closing(text: string, start: number, commas: number[]): number | undefined {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    if (text[at] === '{') depth += 1;
    if (text[at] === ',' && depth === 1) commas.push(at);
    if (text[at] !== '}') continue;
    depth -= 1;
    if (depth === 0) return at;
  }
  return undefined;
}

function splitAt(text: string, start: number, end: number, commas: readonly number[]) {
  const ends = [...commas, end];
  return ends.map((at, place) => text.slice((ends[place - 1] ?? start) + 1, at));
}

/** `1..3` as 1, 2, 3; `01..10` with zeros before. */
function rangeOf(text: string): readonly string[] | undefined {
  const [, first, last] = /^(-?\d{1,9})\.\.(-?\d{1,9})$/.exec(text) ?? [];
  if (first === undefined || last === undefined) return undefined;
  const [from, to] = [Number(first), Number(last)];
  const count = Math.abs(to - from) + 1;
  if (count > limits.globAlternativesMax) throw tooManyAlternatives();
  const width =
    /^-?0\d/.test(first) || /^-?0\d/.test(last) ? Math.max(first.length, last.length) : 0;
  const step = to < from ? -1 : 1;
  return Array.from({ length: count }, (_, place) => {
    const value = from + place * step;
    const digits = String(Math.abs(value));
    return value < 0 ? `-${digits.padStart(width - 1, '0')}` : digits.padStart(width, '0');
  });
}

/** A test of one character; `many`: any number of any characters. */
type Token = 'many' | ((character: string) => boolean);

/** In steps of at most the length of the name times that of the pattern. */
function nameMatcher(pattern: string): (name: string) => boolean {
  const tokens = tokensOf(pattern);
  return (name) => {
    // As in a shell: hidden files are meant only where the dot is written.
    if (name.startsWith('.') && !pattern.startsWith('.')) return false;
    return matchesTokens([...fold(name)], tokens);
  };
}

function matchesTokens(characters: readonly string[], tokens: readonly Token[]): boolean {
  let [at, place] = [0, 0];
  let [retryAt, retryPlace] = [0, -1];
  while (at < characters.length) {
    const token = tokens[place];
    if (token === 'many') {
      [retryAt, retryPlace] = [at, place];
      place += 1;
    } else if (token?.(characters[at] ?? '')) {
      at += 1;
      place += 1;
    } else if (retryPlace >= 0) {
      // The last star takes one character more.
      retryAt += 1;
      [at, place] = [retryAt, retryPlace + 1];
    } else return false;
  }
  return tokens.slice(place).every((token) => token === 'many');
}

function tokensOf(pattern: string): readonly Token[] {
  const characters = [...fold(pattern)];
  const tokens: Token[] = [];
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at] ?? '';
    const end = character === '[' ? characters.indexOf(']', at + 2) : -1;
    if (character === '*') {
      if (tokens.at(-1) !== 'many') tokens.push('many');
    } else if (character === '?') tokens.push(() => true);
    else if (end > 0) {
      tokens.push(classOf(characters.slice(at + 1, end)));
      at = end;
    } else tokens.push((other) => other === character);
  }
  return tokens;
}

/** `a-z`, `abc`; with `!` or `^` first, all others. */
function classOf(characters: readonly string[]): Token {
  const isNegated = characters[0] === '!' || characters[0] === '^';
  const members = isNegated ? characters.slice(1) : characters;
  const ranges: (readonly [string, string])[] = [];
  for (let at = 0; at < members.length; at += 1) {
    const [from = '', dash, to] = members.slice(at, at + 3);
    const isRange = dash === '-' && to !== undefined;
    ranges.push([from, isRange ? to : from]);
    if (isRange) at += 2;
  }
  return (other) => ranges.some(([from, to]) => from <= other && other <= to) !== isNegated;
}

/** Patterns ignore case where the file system does. */
const fold = ['win32', 'darwin'].includes(process.platform)
  ? (text: string) => text.toLowerCase()
  : (text: string) => text;

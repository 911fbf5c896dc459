// Whether an answer keeps what others wrote inside its fence.

import type { CallToolResult } from '@modelcontextprotocol/client';
import { expect } from 'vitest';

const markPattern = /mark\d\d/gi;

/** Whatever takes no room on a screen, turns the writing, or stands for nothing that is known. */
const unseen = [
  '0-8 b-1f 7f-9f ad 34f 61c 115f-1160 17b4-17b5 180b-180f 200b-200f 2028-202e 2060-206f 3164',
  'e000-f8ff fe00-fe0f feff ffa0 fff0-fffb e0000-10ffff',
].flatMap((line) =>
  line.split(' ').map((range) => {
    const [first = '', last = first] = range.split('-');
    return [Number.parseInt(first, 16), Number.parseInt(last, 16)] as const;
  }),
);

/** The code points of a text that nobody sees. */
export function unseenIn(text: string): readonly string[] {
  return [...text]
    .map((character) => character.codePointAt(0) ?? 0)
    .filter((code) => unseen.some(([first, last]) => code >= first && code <= last))
    .map((code) => code.toString(16));
}

/** The marks of the records in a text. */
function marksIn(text: string): readonly string[] {
  return [...new Set([...text.matchAll(markPattern)].map(([mark]) => mark.toUpperCase()))];
}

/**
 * Every mark in a result stands between the tags of this very answer; our own words have none, and
 * no invisible character is left anywhere. Gives the marks that were found.
 */
export function expectFenced(result: CallToolResult): readonly string[] {
  const tag = String(result._meta?.['fovea/foreign']);
  expect(tag).toMatch(/^[0-9a-f]{8}$/);
  for (const block of result.content) {
    if (block.type === 'text') expectFencedText(block.text, tag);
    if (block.type === 'resource_link') {
      expect(marksIn(block.name)).toEqual([]);
      expectFencedText(block.description ?? '', tag);
    }
  }
  for (const words of ownWords(result.structuredContent ?? {})) expectFencedText(words, tag);
  const { images: _, ...whole } = { images: [], ...result };
  for (const text of textsIn(whole)) expect(unseenIn(text), text).toEqual([]);
  return marksIn(JSON.stringify(result));
}

/** The text of a resource names no tag: that of its last fence is the one of the answer. */
export function expectFencedResource(text: string): readonly string[] {
  expect(unseenIn(text)).toEqual([]);
  const [, tag = 'no-tag'] = /<\/data-([0-9a-f]{8})>$/.exec(text) ?? [];
  expectFencedText(text, tag);
  return marksIn(text);
}

export function expectFencedText(text: string, tag: string): void {
  const fences = new RegExp(`<((?:data-)?${tag})>.*?</\\1>`, 'gs');
  const outside = text.replace(fences, '');
  expect(marksIn(outside), outside).toEqual([]);
  expect(outside).not.toContain(tag);
  expect(text.split(`</data-${tag}>`).length).toBeLessThan(3);
}

/** What a host may show as ours: everything of the structured form but the data. */
function ownWords(structured: object): readonly string[] {
  const { summary, next, error } = { summary: '', next: [], error: undefined, ...structured };
  const calls: unknown[] = Array.isArray(next) ? next : [];
  const { message, hint, problems } = {
    message: '',
    hint: '',
    problems: [],
    ...(typeof error === 'object' && error !== null ? error : {}),
  };
  const whys = calls.map((call) => [Object(call).tool, Object(call).why]);
  return textsIn([summary, whys, message, hint, problems]);
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [name, ...textsIn(member)]);
}

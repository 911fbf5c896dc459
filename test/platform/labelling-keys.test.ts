// Every key of the pages that label is told by `?`, and a test in a browser presses it.

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const pages = join(import.meta.dirname, '../../src/platform/platform-page/labelling');

/** An editor, and the tests that press its keys. */
const editors = [
  ['annotate-keys.js', '{annotate,outline,keypoint,prediction,review,frames}-page.browser.test.ts'],
  ['class-editor.js', 'class-page.browser.test.ts'],
] as const;

describe.each(editors)('%s', (file, tests) => {
  const source = readFileSync(join(pages, file), 'utf8');
  const heard = [...source.matchAll(/\['([^']+)', \(\) =>/g)].map(([, key = '']) => nameOf(key));
  const told = [...source.matchAll(/\[\s*'([^']+)',\s*['"]/g)].flatMap(([, keys = '']) =>
    keys.replace('−', '-').split(/, | and /),
  );

  test('tells each key', () => {
    expect(heard.length).toBeGreaterThan(5);
    // The same as Delete.
    const untold = heard.filter((key) => key !== 'Backspace' && !told.includes(key));
    expect(untold).toEqual([]);
  });

  test('has each key pressed by a test', () => {
    const texts = globSync(tests, { cwd: import.meta.dirname }).map((name) =>
      readFileSync(join(import.meta.dirname, name), 'utf8'),
    );
    const pressed = new Set(texts.flatMap(pressedIn));
    expect(heard.filter((key) => !pressed.has(key))).toEqual([]);
  });
});

/** As tests press it, and as the pages tell it: letters are large. */
function nameOf(key: string): string {
  if (/^[a-z]/.test(key)) return key[0]?.toUpperCase() + key.slice(1);
  return /^[A-Z]$/.test(key) ? `Shift+${key}` : key;
}

/** Keys that are pressed one by one, or from a list. */
function pressedIn(text: string): string[] {
  const calls = text.matchAll(/press\('([^']+)'\)/g);
  const lists = text.matchAll(/const key of \[([^\]]+)\]\) await page\.keyboard/g);
  const listed = [...lists].flatMap(([, keys = '']) => [...keys.matchAll(/'([^']+)'/g)]);
  return [...calls, ...listed].map(([, key = '']) => nameOf(key));
}

// Comments, documents and checks cite statements of docs/spec by number; each of them exists.

import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checks as eventStoreChecks } from '../event-store/conformance/checks/index.ts';
import { checks as platformChecks } from '../platform/conformance/checks/index.ts';
import type { Check } from './check.ts';
import { readStatements } from './statements.ts';

const root = join(import.meta.dirname, '../..');
const patterns = [
  '{src,tools,test,scripts,bench}/**/*.{ts,mjs,js}',
  '{docs,decisions}/**/*.md',
  '*.md',
];
/** `API 4.2`, and `API 4.2, 4.3 and 4.5 to 4.7`. */
const citation = /\b(API|Event Store) (\d+\.\d+(?:(?:,| and| to)\s+\d+\.\d+)*)/g;

describe.each(['API', 'Event Store'] as const)('%s', (document) => {
  const numbers = readStatements(document).map(({ number }) => number);

  test('has each number once, in order', () => {
    const sections = Map.groupBy(numbers, (number) => number.split('.')[0]);
    const counted = [...sections].flatMap(([section, { length }]) =>
      Array.from({ length }, (_, index) => `${section}.${index + 1}`),
    );
    expect([...sections.keys()]).toEqual(Array.from(sections, (_, index) => `${index + 1}`));
    expect(numbers).toEqual(counted);
  });

  test('has every statement that its conformance suite proves', () => {
    const profiles: Readonly<Record<string, readonly Pick<Check<never>, 'proves'>[]>> =
      document === 'API' ? platformChecks : eventStoreChecks;
    const proven = Object.values(profiles).flatMap((list) => list.flatMap(({ proves }) => proves));
    expect(proven.filter((number) => !numbers.includes(number))).toEqual([]);
  });

  test('has every statement that a file cites', async () => {
    const missing: string[] = [];
    for await (const { path, text } of files()) {
      for (const [whole, name, list = ''] of text.matchAll(citation)) {
        const cited = name === document ? (list.match(/\d+\.\d+/g) ?? []) : [];
        if (cited.some((number) => !numbers.includes(number))) missing.push(`${path}: ${whole}`);
      }
    }
    expect(missing).toEqual([]);
  });
});

async function* files() {
  for await (const path of glob(patterns, { cwd: root, exclude: ['**/node_modules/**'] })) {
    yield { path, text: await readFile(join(root, path), 'utf8') };
  }
}

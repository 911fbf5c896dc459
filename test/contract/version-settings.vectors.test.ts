// Settings of versions as data: each that is refused with the paths that it must name and words of
// the messages, each that passes with the paths that are warned of.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { checkInput } from '../../src/contract/check.ts';
import { operations } from '../../src/contract/index.ts';
import { normalizeSettings } from '../../src/contract/version-no-op-steps.ts';
import { settingsWarnings } from '../../src/contract/version-warnings.ts';
import { problemsOf } from './problems-of.ts';

const vector = z.strictObject({
  settings: z.looseObject({}),
  refused: z.record(z.string(), z.string()).optional(),
  warned: z.array(z.string()).optional(),
});
/** One vector in each line. */
const file = new URL('./version-settings.vectors.jsonl', import.meta.url);
const vectors = readFileSync(file, 'utf8')
  .trim()
  .split('\n')
  .map((line) => vector.parse(JSON.parse(line)))
  .map((one) => ({ ...one, text: JSON.stringify(one.settings) }));

const here = { workspace: 'lab', project: 'cells' };

function generate(settings: object) {
  const groups = { preprocessing: {}, augmentation: {} };
  return checkInput(operations.versions_generate, { ...here, ...groups, ...settings });
}

const refused = vectors.filter(({ refused: paths }) => paths !== undefined);
const accepted = vectors.filter(({ warned }) => warned !== undefined);

test('there are enough of both, and none twice', () => {
  expect(vectors.length).toBeGreaterThanOrEqual(300);
  expect(refused.length).toBeGreaterThanOrEqual(200);
  expect(new Set(vectors.map(({ text }) => text)).size).toBe(vectors.length);
});

describe('refused', () => {
  test.each(refused)('$text', ({ settings, refused: expected = {} }) => {
    const problems = problemsOf(() => generate(settings));
    expect(problems.map(({ path }) => path).sort()).toEqual(Object.keys(expected).sort());
    for (const { path, message } of problems) expect(message).toContain(expected[path]);
  });
});

describe('accepted', () => {
  test.each(accepted)('$text', ({ settings, warned = [] }) => {
    const input = generate(settings);
    expect(input).toEqual({ ...here, preprocessing: {}, augmentation: {}, ...settings });
    const paths = settingsWarnings(input).map((warning) => warning.split(' ')[0]);
    expect(paths.sort()).toEqual([...warned].sort());
  });

  test.each(accepted)('written out: $text', ({ settings }) => {
    const normal = normalizeSettings(generate(settings));
    expect(generate(normal)).toEqual({ ...here, ...normal });
    expect(normalizeSettings(normal)).toEqual(normal);
  });
});

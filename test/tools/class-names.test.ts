// labelmap_file of images_upload: the class names of a data.yaml, and what is refused.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Fixture, openScriptedService } from './scripted-service.ts';

let fixture: Fixture;

beforeEach(async () => {
  fixture = await openScriptedService();
  await fixture.write('a.jpg', 'bytes of a.jpg');
  await fixture.write('a.txt', '0 .5 .5 .1 .1');
  fixture.on('POST /dataset/cells/upload', () => ({ json: { id: 'id-a', success: true } }));
  fixture.on('POST /dataset/cells/annotate/id-a', () => ({ json: { success: true, boxes: 1 } }));
});

afterEach(async () => {
  await fixture.close();
});

const upload = {
  project: 'cells',
  files: ['a.jpg'],
  annotations: 'a.txt',
  labelmap_file: 'data.yaml',
};

describe('the names of a data.yaml', () => {
  it.each([
    ['quotes', `names: ['it''s', "say \\"a\\"", "a #1"]`, { 0: "it's", 1: 'say "a"', 2: 'a #1' }],
    [
      'words that could be values',
      'names: [1, no, null, 0x1f, 2026-01-01]',
      {
        0: '1',
        1: 'no',
        2: 'null',
        3: '0x1f',
        4: '2026-01-01',
      },
    ],
    ['a list without indentation', 'names:\n- RBC\n- WBC\nnc: 2', { 0: 'RBC', 1: 'WBC' }],
    ['a list over several lines', 'names: [\n  RBC, # red\n  WBC,\n]\n', { 0: 'RBC', 1: 'WBC' }],
    ['a quoted key', '"names": {"0": RBC}', { 0: 'RBC' }],
    ['a script before it', 'download: |\n  x = 1\n  names: y\nnames: [RBC]', { 0: 'RBC' }],
    ['tags of Python', 'path: !!python/object:a.b {}\nnames: [RBC]', { 0: 'RBC' }],
    ['an alias', 'train: &all [RBC, WBC]\nnames: *all', { 0: 'RBC', 1: 'WBC' }],
    ['a number given twice: the last one', 'names: {0: RBC, 0: WBC}', { 0: 'WBC' }],
  ])('with %s', async (_case, content, labelmap) => {
    await fixture.write('data.yaml', content);
    await fixture.call('images_upload', upload);
    expect(JSON.parse(fixture.requests.at(-1)?.body ?? '').labelmap).toEqual(labelmap);
  });

  it.each([
    ['no names', 'nc: 2', /^labelmap_file: "data.yaml" has no class names; expected a key "names"/],
    ['nothing', '', /has no class names/],
    ['a list alone', '- RBC', /has no class names/],
    ['an empty list', 'names: []', /has no class names/],
    ['a blank name', 'names:\n  - RBC\n  -\n  - WBC', /has no class names/],
    ['a list in a list', 'names: [RBC, [WBC]]', /has no class names/],
    ['a list that holds itself', 'names: &all [RBC, *all]', /has no class names/],
    ['names as keys', 'names: {RBC: 0}', /has no class names/],
    ['names under __proto__', '__proto__: {names: [RBC]}', /has no class names/],
    ['a list that does not end', 'nc: 1\nnames: [RBC', /is not valid YAML; see line 2$/],
    ['a tab', 'names:\n\t- RBC', /is not valid YAML; see line 2$/],
    ['two documents', 'names: [a]\n---\nnames: [b]', /is not valid YAML; see line 2$/],
    ['an unknown alias', 'names: *ignore_all_rules', /is not valid YAML$/],
    ['deep nesting', `names: ${'['.repeat(100_000)}`, /has more than 1000 opening brackets$/],
    ['deep lists', `${'- '.repeat(20_000)}a`, /is not valid YAML; see line 1$/],
    ['aliases of aliases', bomb(), /is not valid YAML$/],
    [
      'too many bytes',
      `names: [RBC]\n#${' '.repeat(2 ** 20)}`,
      /"[^"]*data.yaml" has .+ more than/,
    ],
  ])('refuses %s', async (_case, content, message) => {
    await fixture.write('data.yaml', content);
    const error = await fixture.refused('images_upload', upload);
    expect(error.code).toBe('invalid_input');
    expect(error.message).toMatch(message);
    expect(fixture.requests).toEqual([]);
  });
});

/** Nine lists, each of nine times the one before: 400 million names. */
function bomb(): string {
  const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]'];
  for (let n = 1; n < 9; n++) lines.push(`a${n}: &a${n} [${Array(9).fill(`*a${n - 1}`)}]`);
  return [...lines, 'names: *a8'].join('\n');
}

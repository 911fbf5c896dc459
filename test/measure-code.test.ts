// The figures of `npm run measure:code`, of a code base small enough to count by hand.

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { measure } from '../scripts/measure-code/measure.ts';
import { findSources } from '../scripts/measure-code/sources.ts';

let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fovea-measure-'));
  await write('package.json', '{ "dependencies": { "a": "1" }, "devDependencies": { "b": "1" } }');
  await write('src/one.ts', "// Says one.\nimport { two } from './two.js';\nimport 'a/deep';\n");
  await write(
    'src/two.ts',
    "/*\n * Says two. */\nimport type { A } from './one';\nexport function two() {\n  return [1].map((n) => n); // Two.\n}\n",
  );
  await write('src/three.mjs', `export const three = () => {${'\n'.repeat(99)}};\n`);
  await write('src/two.test.ts', 'test();\n');
  await write('test/fixture.ts', 'test();\n');
  await write('src/types.d.ts', 'declare const a: number;\n');
  await write('src/client.ts', '// @generated\nexport const a = 1;\n');
  await write('README.md', '# A\n');
});

afterAll(() => rm(folder, { recursive: true }));

test('the shipped sources are measured, and nothing else', () => {
  expect(measure(findSources(folder))).toEqual({
    files: '3',
    lines: '109',
    'lines of a file: median': '6',
    'lines of a file: maximum': '100',
    'files under 40 lines': '66.7%',
    'named functions': '2',
    'lines of a named function: median': '51.5',
    'lines of a function: maximum': '100',
    'functions over 70 lines': '1',
    'comment lines': '2.8%',
    'dependencies installed': '1',
    'packages imported': '1',
    'imports that cross floors': '',
    'import cycles (files in them)': '1 (2)',
  });
});

test('a folder inside a package has the dependencies of the package', () => {
  expect(measure(findSources(join(folder, 'src')))).toMatchObject({
    files: '3',
    'dependencies installed': '1',
  });
});

async function write(path: string, text: string): Promise<void> {
  const file = join(folder, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}

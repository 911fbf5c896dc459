// `fovea doctor --stored`: stored files that are damaged or lost are named, with what mends them.

import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runFovea } from '../fixtures/fovea-services.ts';
import { testImage } from '../fixtures/images.ts';
import { startTestPlatform, type TestPlatform, withRowsInFolder } from '../fixtures/platform.ts';
import { createProject, upload } from './labelled-projects.ts';

let platform: TestPlatform;
let home: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'fovea-doctor-'));
  platform = await startTestPlatform(withRowsInFolder);
  await createProject(platform.client, 'cells');
  for (const shade of [1, 2, 3, 4]) await upload(platform.client, 'cells', shade);
});

afterAll(async () => {
  await platform.close();
  await rm(home, { recursive: true, force: true });
});

async function blobOf(shade: number): Promise<string> {
  const hash = createHash('sha256')
    .update(await testImage(shade))
    .digest('hex');
  return join(platform.data, 'blobs', hash.slice(0, 2), hash);
}

async function doctor(...words: string[]) {
  const settings = { FOVEA_HOME: home, HOME: home };
  const { stdout, stderr, code } = await runFovea(['doctor', ...words], settings);
  const [row = ''] = /^.*stored files.*(?:\n {10}.*)*/m.exec(stdout) ?? [];
  return { row: row.replaceAll(/\s+/g, ' '), stderr, code };
}

const all = () => doctor('--stored', 'all', '--data', platform.data);

test('files that are whole are said to be, and what a sample is', async () => {
  expect((await all()).row).toMatch(
    /^ok stored files 4 were read \(0\.0 MB\), all that rows refer to: each is what its hash says\.$/,
  );
  const { row } = await doctor('--stored', '3', '--data', platform.data);
  expect(row).toMatch(/^ok stored files 3 were read .* a sample: others were not: each is what/);
  expect(row).toContain('advice: fovea doctor --stored all reads all of them.');
  const many = await doctor('--stored', '900', '--data', platform.data);
  expect(many.row).toMatch(/^ok stored files 4 were read .* all that rows refer to/);
  const rest = await doctor('--stored', 'all', '--after', 'f'.repeat(64), '--data', platform.data);
  expect(rest.row).toMatch(/^ok stored files 0 were read .* a sample/);
});

test('what is damaged or lost is named, and an upload of the same file mends it', async () => {
  const [damaged, lost] = await Promise.all([blobOf(2), blobOf(3)]);
  const content = await readFile(damaged);
  content[content.length - 20] = 255 - (content[content.length - 20] ?? 0);
  await writeFile(damaged, content);
  await rm(lost);
  const { row, code } = await all();
  expect(row).toMatch(/^BAD stored files 4 were read .*: 2 damaged or missing: /);
  expect(row).toContain('the image "2.png" of acme/cells (damaged, ');
  expect(row).toContain('the image "3.png" of acme/cells (missing, ');
  expect(row).toContain('-> Upload the same file to that project again');
  expect(code).toBe(1);
  for (const shade of [2, 3]) await upload(platform.client, 'cells', shade);
  expect((await all()).row).toMatch(/^ok stored files 4 were read/);
});

test.each([
  [['--stored', '0'], '--stored: must be a whole number from 1, or all'],
  [['--after', 'ab'], '--after: goes with --stored'],
  [['--data', '/tmp'], '--data: goes with --stored'],
  [['--stored', '5', '--after', 'ab'], '--after: goes with --stored all'],
  [['--stored', 'all', '--after', 'xyz'], '--after: must be the beginning of a hash'],
])('%j is refused: %s', async (words, message) => {
  const { stderr, code } = await doctor(...words);
  expect(stderr).toContain(message);
  expect(code).toBe(2);
});

test('where there is no platform, that is said', async () => {
  const { row } = await doctor('--stored', '5');
  expect(row).toMatch(/^BAD stored files There is no platform in ".*platform"\. -> Give --data/);
});

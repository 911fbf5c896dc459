// The npm package as users install it: packed from a build, small, and at work in an empty folder
// without packages of development and without install scripts.

import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { buildRelease } from '../scripts/bundle/build.ts';
import { launchFovea } from './fixtures/fovea.ts';

const run = promisify(execFile);
const sample = resolve('sample/blood-cells');

interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
}

let folder: string;
let packed: Packed;

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'fovea-package-')));
  // A copy of what npm packs: the folder dist/ belongs to another test.
  const source = join(folder, 'source');
  await mkdir(source);
  const { files } = JSON.parse(await readFile('package.json', 'utf8'));
  const plain = files.filter((name: string) => !/^!|^dist$/.test(name));
  for (const name of ['package.json', ...plain]) {
    await cp(name, join(source, name), { recursive: true });
  }
  await buildRelease(join(source, 'dist'));
  const words = ['pack', '--json', '--ignore-scripts', '--loglevel=error'];
  const { stdout } = await run('npm', words, { cwd: source });
  [packed] = JSON.parse(stdout);
}, 120_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

it('is under 5 MB, and holds what is used and nothing else', () => {
  expect(packed.size).toBeLessThan(5_000_000);
  const paths = packed.files.map(({ path }) => path);
  expect(paths).toEqual(
    expect.arrayContaining([
      ...['dist/fovea.js', 'dist/THIRD-PARTY-LICENSES.txt', 'dist/parts/trainer-keeper.js'],
      ...['package.json', 'LICENSE', 'README.md', 'CHANGELOG.md', 'skills/fovea/SKILL.md'],
    ]),
  );
  expect(
    paths.filter((path) => /^(src|test|tools|scripts|bench|node_modules)\//.test(path)),
  ).toEqual([]);
  expect(paths.filter((path) => /\.ts$|\.map$|\.compile-cache/.test(path))).toEqual([]);
});

it('works where it is installed without scripts and packages of development', async () => {
  const home = join(folder, 'installed');
  await mkdir(home);
  await writeFile(join(home, 'package.json'), '{ "private": true }');
  const words = ['install', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund'];
  const tarball = join(folder, 'source', packed.filename);
  await run('npm', [...words, '--prefer-offline', tarball], { cwd: home });
  const { packages } = JSON.parse(
    await readFile(join(home, 'node_modules/.package-lock.json'), 'utf8'),
  );
  // Fovea, sharp with what it needs on this system, and the keychain.
  expect(Object.keys(packages).length).toBeLessThan(12);

  const fovea = await launchFovea({}, join(home, 'node_modules/fovea/dist/fovea.js'));
  onTestFinished(() => fovea.close());
  await fovea.ok('projects_create', {
    ...{ name: 'Cells', type: 'object-detection', annotation: 'cells' },
  });
  const uploaded = await fovea.ok('images_upload', {
    ...{ project: 'cells', files: [join(sample, 'JPEGImages')] },
    annotations: join(sample, 'Annotations'),
  });
  expect(uploaded).toMatchObject({ uploaded: 12, annotated: 12, boxes: 159 });
  const { version } = await fovea.ok('versions_generate', {
    project: 'cells',
    preprocessing: { resize: { width: 64, height: 64, format: 'Stretch to' } },
    augmentation: {},
  });
  const waited = await fovea.ok('tasks_wait', { project: 'cells', version });
  expect(waited).toMatchObject({ done: true, status: 'completed' });
  const event = { event_schema: 'quality_check', event_data: { result: 'pass' } };
  await fovea.ok('events_create', event);
  expect(await fovea.ok('events_count')).toMatchObject({ total_count: 1 });
}, 240_000);

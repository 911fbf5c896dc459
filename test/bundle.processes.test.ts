// The bundle that desktop hosts install: what is in it, and that it works where nothing else is,
// under the oldest Node that we promise.

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { oldestNode } from '../scripts/bundle/installed-programs.ts';
import { launchFovea } from './fixtures/fovea.ts';
import { readZip, unzip } from './fixtures/read-zip.ts';

const run = promisify(execFile);
const oldNode = oldestNode();
const sample = resolve('sample/blood-cells');
let output: string;
let bundle: string;
let files: ReadonlyMap<string, Buffer>;

beforeAll(async () => {
  output = await realpath(await mkdtemp(join(tmpdir(), 'fovea-mcpb-')));
  // It stops where `mcpb validate` finds a fault, or a file holds machine code.
  await run(process.execPath, ['scripts/bundle.ts', output]);
  const { version } = JSON.parse(await readFile('package.json', 'utf8'));
  bundle = join(output, `fovea-${version}.mcpb`);
  files = await readZip(bundle);
}, 180_000);

afterAll(() => rm(output, { recursive: true, force: true }));

it('has its manifest and icon at the top, and no native module', () => {
  expect([...files.keys()]).toEqual(
    expect.arrayContaining(['manifest.json', 'icon.png', 'dist/fovea.js', 'LICENSE']),
  );
  const names = [...files.keys()].filter((path) => /\.(node|so|dylib|dll|exe)$/.test(path));
  expect(names).toEqual([]);
  expect([...files.keys()].filter((path) => path.includes('node_modules/'))).toEqual([]);
});

it('is the release as npm has it, with what draws pictures and its licences', () => {
  const parts = [...files.keys()].filter((path) => /^dist\/parts\/sharp-wasm32/.test(path));
  expect(parts).toEqual([
    expect.stringMatching(/^dist\/parts\/sharp-wasm32-0\.35\.\d+\.node\.wasm\.br$/),
    'dist/parts/sharp-wasm32.cjs',
  ]);
  const notices = String(files.get('dist/THIRD-PARTY-LICENSES.txt'));
  for (const name of ['@img/sharp-wasm32', 'sharp', 'semver', '@emnapi/runtime', 'detect-libc']) {
    expect(notices).toMatch(new RegExp(`^${name} \\d`, 'm'));
  }
});

it('is named with its hash in the entry of the registry', async () => {
  const { packages } = JSON.parse(await readFile(join(output, 'server.json'), 'utf8'));
  const fileSha256 = createHash('sha256')
    .update(await readFile(bundle))
    .digest('hex');
  expect(packages).toEqual([
    expect.objectContaining({ registryType: 'npm' }),
    expect.objectContaining({ registryType: 'mcpb', fileSha256, version: '0.1.0' }),
  ]);
});

describe('unpacked, under Node 22.16', () => {
  it('lists tools, makes a project, takes images, and draws a preview', async () => {
    expect((await run(oldNode, ['--version'])).stdout).toBe('v22.16.0\n');
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'fovea-unpacked-')));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    await unzip(bundle, folder);
    const fovea = await launchFovea({}, { entry: join(folder, 'dist/fovea.js'), node: oldNode });
    onTestFinished(() => fovea.close());
    const { tools } = await fovea.client.listTools();
    const manifest = JSON.parse(String(files.get('manifest.json')));
    const listed = (list: readonly { name: string }[]) => list.map(({ name }) => name);
    expect(listed(manifest.tools)).toEqual(listed(tools));
    const { prompts } = await fovea.client.listPrompts();
    expect(listed(manifest.prompts)).toEqual(listed(prompts));

    await fovea.ok('projects_create', {
      name: 'Cells',
      type: 'object-detection',
      annotation: 'cells',
    });
    const uploaded = await fovea.ok('images_upload', {
      project: 'cells',
      files: [join(sample, 'JPEGImages')],
      annotations: join(sample, 'Annotations'),
    });
    expect(uploaded).toMatchObject({ uploaded: 12, annotated: 12, boxes: 159 });
    const settings = {
      preprocessing: { resize: { width: 64, height: 64, format: 'Stretch to' } },
      augmentation: {},
    };
    const save_to = join(fovea.folder, 'sheet.jpg');
    await fovea.ok('versions_preview', { project: 'cells', ...settings, save_to });
    expect((await readFile(save_to)).subarray(0, 3).toString('hex')).toBe('ffd8ff');

    // The threads that make versions have a WebAssembly of their own.
    const { version } = await fovea.ok('versions_generate', { project: 'cells', ...settings });
    const waited = await fovea.ok('tasks_wait', { project: 'cells', version });
    expect(waited).toMatchObject({ done: true, status: 'completed' });
  }, 120_000);
});

// The release, built and used: what a host launches is not what the other tests run.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { type Fovea, launchFovea } from './fixtures/fovea.ts';
import { killed } from './fixtures/killed.ts';
import { readZip } from './fixtures/unzip.ts';

const run = promisify(execFile);
let fovea: Fovea;

beforeAll(async () => {
  await run(process.execPath, ['scripts/bundle.ts']);
  fovea = await launchFovea({}, { entry: 'dist/fovea.js' });
  // The first build of a checkout compresses the WebAssembly, which takes half a minute.
}, 180_000);

afterAll(() => fovea.close());

it('does the main job', async () => {
  const sample = resolve('sample/blood-cells');
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
  const { version } = await fovea.ok('versions_generate', {
    project: 'cells',
    preprocessing: { resize: { width: 64, height: 64, format: 'Stretch to' } },
    augmentation: {},
  });
  const waited = await fovea.ok('tasks_wait', { project: 'cells', version });
  expect(waited).toMatchObject({ done: true, status: 'completed' });
  const save_to = join(fovea.folder, 'cells.zip');
  await fovea.ok('versions_export', { project: 'cells', version, format: 'yolov8', save_to });
  const files = await readZip(save_to);
  expect([...files.keys()].filter((path) => path.startsWith('train/images/'))).toHaveLength(12);
});

it('serves the pages of the Event Store', async () => {
  const argv = [
    'dist/fovea.js',
    'event-store',
    '--port',
    '0',
    '--data',
    join(fovea.folder, 'events'),
  ];
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => killed(child));
  const url = String(await once(child.stdout, 'data')).trim();
  for (const path of [
    '/',
    '/page/event-store/page/main.js',
    '/docs',
    '/docs/swagger-ui-bundle.js',
  ]) {
    expect({ path, status: (await fetch(url + path)).status }).toEqual({ path, status: 200 });
  }
});

it('asks the person at the host, who agrees in a form with nothing to fill', async () => {
  const home = join(fovea.folder, 'asked');
  const capabilities = { elicitation: { form: {} } };
  const host = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: 'legacy' }, capabilities },
  );
  onTestFinished(() => host.close());
  const questions: string[] = [];
  host.setRequestHandler('elicitation/create', async ({ params }) => {
    questions.push(params.message);
    return { action: 'accept', content: {} };
  });
  const env = { PATH: '/usr/bin:/bin', HOME: home, FOVEA_HOME: home };
  const command = { command: process.execPath, args: ['dist/fovea.js'], env };
  await host.connect(new StdioClientTransport({ ...command, stderr: 'inherit' }));
  const call = async (name: string, args: object) => {
    const { structuredContent } = await host.callTool({ name, arguments: { ...args } });
    return Object(structuredContent);
  };
  const { id: folderId } = await call('folders_create', { name: 'Line 3' });
  expect(await call('folders_delete', { folderId })).toMatchObject({
    summary: expect.stringContaining('Deleted folder'),
  });
  expect(questions).toEqual([expect.stringContaining('Line 3')]);
});

it('carries the licences of what is bundled', async () => {
  const notices = await readFile('dist/THIRD-PARTY-LICENSES.txt', 'utf8');
  for (const name of [
    'zod',
    'undici',
    '@modelcontextprotocol/server',
    'find-my-way',
    'swagger-ui-dist',
  ]) {
    expect(notices).toContain(name);
  }
});

it('knows its version and its commands', async () => {
  const { version } = JSON.parse(await readFile('package.json', 'utf8'));
  const { stdout } = await run(process.execPath, ['dist/fovea.js', '--version']);
  expect(stdout).toBe(`${version}\n`);
  const wrong = run(process.execPath, ['dist/fovea.js', 'platfrom']);
  await expect(wrong).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('platform'),
  });
});

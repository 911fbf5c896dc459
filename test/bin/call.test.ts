// `fovea tools` and `fovea call`: the tools from a shell, each command a process of its own.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import list from '../../tools/list.json' with { type: 'json' };
import { countRunning, entryUnderTest, nodeUnderTest } from '../fixtures/under-test.ts';

const photos = resolve('sample/blood-cells');
let home: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'fovea-call-'));
});

afterAll(() => rm(home, { recursive: true }));

interface Shell {
  readonly input?: string;
  readonly settings?: Readonly<Record<string, string>>;
}

async function fovea(argv: readonly string[], { input = '', settings = {} }: Shell = {}) {
  const child = spawn(nodeUnderTest, [entryUnderTest(), ...argv], {
    env: { PATH: process.env.PATH, HOME: home, FOVEA_FILE_ROOTS: photos, ...settings },
  });
  countRunning(child);
  child.stdin.end(input);
  const [[code], out, log] = await Promise.all([
    once(child, 'exit'),
    text(child.stdout),
    text(child.stderr),
  ]);
  return { code, out, log };
}

test('tools lists all tools, or one with its arguments', async () => {
  const all = await fovea(['tools', '--json']);
  expect(JSON.parse(all.out)).toHaveLength(list.filter((tool) => !('appOnly' in tool)).length);
  const one = await fovea(['tools', 'folders_delete', '--json']);
  expect(JSON.parse(one.out)).toMatchObject({
    name: 'folders_delete',
    inputSchema: { required: ['folderId', 'confirm'] },
  });
  const compact = await fovea(['tools', '--json'], { settings: { FOVEA_TOOL_PROFILE: 'compact' } });
  expect(JSON.parse(compact.out)).toHaveLength(16);
  const reached = ['tools', 'folders_list', '--json'];
  const unlisted = await fovea(reached, { settings: { FOVEA_TOOL_PROFILE: 'compact' } });
  expect(JSON.parse(unlisted.out)).toMatchObject({ name: 'folders_list' });
  const finder = ['tools', 'operations_find', '--json'];
  const found = await fovea(finder, { settings: { FOVEA_TOOL_PROFILE: 'compact' } });
  expect(JSON.parse(found.out)).toMatchObject({ inputSchema: { required: ['query'] } });
});

test('a tool that the settings do not offer is refused with the reason', async () => {
  const settings = { FOVEA_BASE_URL: 'http://127.0.0.1:9', FOVEA_API_KEY: 'x' };
  const refused = await fovea(['call', 'tasks_list', '{}'], { settings });
  expect(refused.code).toBe(2);
  expect(refused.log).toContain(
    '"tasks_list" is not offered: the platform at FOVEA_BASE_URL did not say',
  );
});

test('a dataset is made, frozen and looked at, one process after the other', async () => {
  const cells = { name: 'Cells', type: 'object-detection', annotation: 'cells' };
  expect(await fovea(['call', 'projects_create', JSON.stringify(cells)])).toMatchObject({
    code: 0,
  });
  const files = { project: 'cells', files: [`${photos}/JPEGImages`], annotations: photos };
  const uploaded = await fovea(['call', 'images_upload', '-'], { input: JSON.stringify(files) });
  expect(uploaded.out).toContain('Uploaded 12 images');
  const settings = { project: 'cells', preprocessing: {}, augmentation: {} };
  await fovea(['call', 'versions_generate', JSON.stringify(settings)]);
  const waited = await fovea(['call', 'tasks_wait', '{"project": "cells", "version": 1}']);
  expect(waited).toMatchObject({ code: 0, out: expect.stringContaining('12 images') });
  const version = { project: 'cells', version: 1 };
  const found = await fovea(['call', 'versions_get', JSON.stringify(version), '--json']);
  expect(JSON.parse(found.out)).toMatchObject({ version: { images: 12, generating: false } });
});

test('an export without save_to: no link is offered that ends with the process', async () => {
  const wanted = JSON.stringify({ project: 'cells', version: 1, format: 'coco' });
  const { code, out } = await fovea(['call', 'versions_export', wanted]);
  expect(code).toBe(0);
  expect(out).toContain('is ready; its link would end with this command: give save_to');
  expect(out).not.toContain('http://');
  const json = await fovea(['call', 'versions_export', wanted, '--json']);
  expect(JSON.parse(json.out)).toMatchObject({ ready: true });
  expect(JSON.parse(json.out)).not.toHaveProperty('link');
});

test('a signal ends it soon, also while an object store does not answer', async () => {
  const sockets = new Set<Socket>();
  const silent = createServer((socket) => sockets.add(socket.on('error', () => {})));
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    silent.close();
  });
  const address = silent.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const files = { project: 'cells', files: [`${photos}/JPEGImages`] };
  const child = spawn(nodeUnderTest, [entryUnderTest(), 'call', 'images_upload', '-'], {
    env: {
      PATH: process.env.PATH,
      HOME: home,
      FOVEA_FILE_ROOTS: photos,
      FOVEA_OBJECTS_URL: 's3://cells/fovea',
      AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${address.port}`,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'a',
      AWS_SECRET_ACCESS_KEY: 'b',
    },
  });
  countRunning(child);
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdin.end(JSON.stringify(files));
  const ended = once(child, 'exit');
  await once(silent, 'connection');
  const out = text(child.stdout);
  child.kill('SIGTERM');
  await ended;
  expect(await out).toContain('cancelled');
});

test('an answer that is an error is printed, and ends with code 1', async () => {
  const { code, out } = await fovea(['call', 'projects_get', '{"project": "none"}']);
  expect(code).toBe(1);
  expect(out).toContain('none');
});

test('in a profile a call reaches what a host with that profile reaches', async () => {
  const settings = { FOVEA_TOOL_PROFILE: 'compact' };
  const { code, out } = await fovea(['call', 'folders_list'], { settings });
  expect(code).toBe(1);
  expect(out).toContain('operations_read {"operation":"folders_list","arguments":{}}');
  const found = await fovea(['call', 'operations_find', '{"query": "list folders"}'], { settings });
  expect(found.out).toContain('folders_list');
});

test.each([
  [['call'], 'needs the name of a tool'],
  [
    ['call', 'projects_remove'],
    'there is no tool "projects_remove"; did you mean "projects_delete"?',
  ],
  [['call', 'projects_gett'], 'there is no tool "projects_gett"; did you mean "projects_get"?'],
  [['call', 'projects_get', 'cells'], 'arguments: must be JSON'],
  [['call', 'projects_get', '[]'], 'arguments: must be a JSON object'],
  [['call', 'projects_get', '{}', '{}'], '"{}" is one too many'],
  [['tools', 'project'], 'there is no tool "project"'],
])('%j ends with code 2 and the reason', async (argv, message) => {
  const { code, out, log } = await fovea(argv);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(log).toContain(message);
});

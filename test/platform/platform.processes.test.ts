// `fovea platform` as a process: its one line, its end in the middle of work, and its next start.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { killProcess } from '../fixtures/kill-process.ts';
import { entryUnderTest, nodeUnderTest } from '../fixtures/under-test.ts';

const key = 'a-key-for-tests';
let data: string;

beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'fovea-process-'));
});

afterAll(() => rm(data, { recursive: true, force: true }));

function launch(port: string) {
  const argv = [entryUnderTest(), 'platform', '--port', port, '--data', data];
  const child = spawn(nodeUnderTest, argv, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, FOVEA_API_KEY: key, FOVEA_WORKSPACE: 'acme' },
  });
  onTestFinished(() => killProcess(child));
  return { child, out: text(child.stdout), log: text(child.stderr), ended: once(child, 'exit') };
}

async function urlOf({ stdout }: ChildProcess): Promise<string> {
  return String(await once(stdout ?? process.stdin, 'data')).trim();
}

async function call(url: string, method: string, path: string, body?: object | FormData) {
  const isForm = body instanceof FormData;
  const answer = await fetch(url + path, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body && !isForm && { 'content-type': 'application/json' }),
    },
    ...(body && { body: isForm ? body : JSON.stringify(body) }),
  });
  return JSON.parse(await answer.text());
}

/** Work for half a minute: each picture is worked on for less than a second at a time. */
async function startLongWork(url: string): Promise<string> {
  await call(url, 'POST', '/acme/projects', {
    name: 'Large',
    type: 'object-detection',
    annotation: 'things',
  });
  for (const background of ['teal', 'navy', 'olive', 'maroon']) {
    const create = { width: 4_000, height: 3_000, channels: 3, background } as const;
    const form = new FormData();
    const content = await sharp({ create }).jpeg().toBuffer();
    form.append('file', new Blob([new Uint8Array(content)]), 'large.jpg');
    await call(url, 'POST', '/dataset/large/upload', form);
  }
  const settings = {
    preprocessing: {},
    augmentation: {
      flip: { horizontal: true, vertical: true },
      ninety: { clockwise: true, 'counter-clockwise': true, 'upside-down': true },
      image: { versions: 8 },
    },
  };
  const { taskId } = await call(url, 'POST', '/acme/large/generate', settings);
  // One more waits for anybody who has nothing to do.
  await call(url, 'POST', '/acme/large/generate', settings);
  return taskId;
}

it('ends with code 0 in the middle of work, which the next start takes up', async () => {
  const first = launch('0');
  const url = await urlOf(first.child);
  const taskId = await startLongWork(url);
  await delay(1_000);
  expect(await call(url, 'GET', `/acme/asynctasks/${taskId}`)).toMatchObject({ status: 'running' });
  first.child.kill('SIGTERM');
  const end = await Promise.race([first.ended, delay(5_000, 'still there')]);
  expect(end).toEqual([0, null]);
  expect(await first.out).toBe(`${url}\n`);
  expect(await first.log).toMatch(/^\S+ warn platform: A new, empty platform was made\. .*\n$/);

  const second = launch('0');
  const next = await urlOf(second.child);
  await delay(500);
  const task = await call(next, 'GET', `/acme/asynctasks/${taskId}`);
  expect(task).toMatchObject({ status: 'running', progress: { current: 0, total: 4 } });

  // A start that fails takes no work, which would keep it.
  const third = launch(new URL(next).port);
  expect(await third.ended).toEqual([2, null]);
  expect(await third.out).toBe('');
  expect(await third.log).toContain(`Cannot listen on port ${new URL(next).port}`);
  second.child.kill('SIGINT');
  expect(await second.ended).toEqual([0, null]);
});

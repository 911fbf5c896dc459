// A worker thread that may be idle for a time: what it ends with, and what it does not end in.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { takeUsable, WorkerThread } from '../src/worker-thread.ts';
import { temporaryFolder } from './fixtures/temporary-folder.ts';

/** A thread that answers each message with it, and may be idle for 10 seconds. */
async function startEcho() {
  const script = join(await temporaryFolder(), 'echo.mjs');
  await writeFile(
    script,
    `import { parentPort } from 'node:worker_threads';
     parentPort.on('message', (message) => parentPort.postMessage(message));`,
  );
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const entry = pathToFileURL(script);
  const thread = new WorkerThread<string, string>({ entry, idleMsMax: 10_000 });
  onTestFinished(() => thread.terminate());
  return thread;
}

test('it ends when it was idle for its time, and each question begins that time anew', async () => {
  const thread = await startEcho();
  vi.advanceTimersByTime(9_000);
  expect(await thread.ask('a', { msMax: 60_000 })).toBe('a');
  vi.advanceTimersByTime(9_000);
  expect(thread.isUsable).toBe(true);
  const ended = new Promise<void>((resolve) => thread.onEnd(resolve));
  vi.advanceTimersByTime(1_000);
  expect(thread.isUsable).toBe(false);
  await ended;
  expect(await thread.ask('b', { msMax: 60_000 })).toBe('ended');
});

test('questions that wait at once are answered in their order', async () => {
  const thread = await startEcho();
  const asked = ['a', 'b', 'c'].map((message) => thread.ask(message, { msMax: 60_000 }));
  expect(await Promise.all(asked)).toEqual(['a', 'b', 'c']);
});

test('messages between count for the question that waits longest', async () => {
  const thread = await startEcho();
  const isBetween = (message: string) => message === 'between';
  const first = thread.ask('between', { msMax: 60_000 }, isBetween);
  const second = thread.ask('a', { msMax: 60_000 });
  const third = thread.ask('b', { msMax: 60_000 });
  expect(await Promise.all([first, second])).toEqual(['a', 'b']);
  await thread.terminate();
  expect(await third).toBe('ended');
});

test('it does not end while it is held, and ends its time after that', async () => {
  const thread = await startEcho();
  const [first, second] = [thread.hold(), thread.hold()];
  vi.advanceTimersByTime(60_000);
  first();
  vi.advanceTimersByTime(60_000);
  expect(thread.isUsable).toBe(true);
  second();
  vi.advanceTimersByTime(9_000);
  expect(thread.isUsable).toBe(true);
  vi.advanceTimersByTime(1_000);
  expect(thread.isUsable).toBe(false);
});

test('the last idle thread that has not ended is taken', async () => {
  const [first, second] = [await startEcho(), await startEcho()];
  const idle = [first, second];
  await second.terminate();
  expect(takeUsable(idle)).toBe(first);
  expect(takeUsable(idle)).toBeUndefined();
});

test('its heap has the size that it is given', async () => {
  const script = join(await temporaryFolder(), 'limits.mjs');
  await writeFile(
    script,
    `import { parentPort, resourceLimits } from 'node:worker_threads';
     parentPort.postMessage(resourceLimits);`,
  );
  const entry = pathToFileURL(script);
  const thread = new WorkerThread({ entry, megabytesMax: 64, youngMegabytesMax: 12 });
  onTestFinished(() => thread.terminate());
  expect(await thread.started()).toMatchObject({
    maxOldGenerationSizeMb: 64,
    maxYoungGenerationSizeMb: 12,
  });
});

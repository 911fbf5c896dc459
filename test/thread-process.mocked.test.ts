// Threads in a process of their own. No module is replaced here, but one is told to hold threads
// apart from now on, which is for no other file.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import { limits } from '../src/limits.ts';
import { holdThreadsApart } from '../src/thread-process/thread-process.ts';
import { WorkerThread } from '../src/worker-thread.ts';
import { killProcess } from './fixtures/kill-process.ts';
import { temporaryFolder } from './fixtures/temporary-folder.ts';

holdThreadsApart();

/** Says in which process it is; or throws, or never ends. */
const worker = `import { parentPort, workerData } from 'node:worker_threads';
  parentPort.on('message', (message) => {
    if (message === 'throw') throw new RangeError('too far');
    if (message === 'loop') for (;;);
    if (message === 'print') console.log('printed');
    parentPort.postMessage({ message, workerData, pid: process.pid });
  });`;

interface Answer {
  readonly message: unknown;
  readonly workerData: unknown;
  readonly pid: number;
}

const msMax = 20_000;

async function start() {
  const script = join(await temporaryFolder(), 'worker.mjs');
  await writeFile(script, worker);
  const entry = pathToFileURL(script);
  const thread = new WorkerThread<unknown, Answer>({ entry, data: 'given', isLarge: true });
  onTestFinished(() => thread.terminate());
  const ask = async (message: unknown) => {
    const answer = await thread.ask(message, { msMax });
    if (typeof answer === 'string') throw new Error(answer);
    return answer;
  };
  return { thread, ask };
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function untilGone(pid: number): Promise<void> {
  await vi.waitUntil(() => !isRunning(pid), { timeout: 10_000 });
}

test('all of them are in one other process, and are sent bytes as they are', async () => {
  const [first, second] = [await start(), await start()];
  const bytes = Uint8Array.of(1, 2, 3, 255);
  const { message, workerData, pid } = await first.ask({ bytes, size: undefined });
  expect({ message, workerData }).toEqual({
    message: { bytes, size: undefined },
    workerData: 'given',
  });
  expect(pid).not.toBe(process.pid);
  expect((await second.ask('a')).pid).toBe(pid);
});

test('one that throws ends alone, and its error is known', async () => {
  const [first, second] = [await start(), await start()];
  const { pid } = await second.ask('a');
  expect(await first.thread.ask('throw', { msMax })).toBe('ended');
  expect(first.thread.failure).toMatchObject({ name: 'RangeError', message: 'too far' });
  expect((await second.ask('b')).pid).toBe(pid);
});

test('one that does not end is terminated alone', async () => {
  const [first, second] = [await start(), await start()];
  const { pid } = await first.ask('a');
  const stop = new AbortController();
  const asked = first.thread.ask('loop', { msMax, signal: stop.signal });
  stop.abort(new Error('no longer wanted'));
  await expect(asked).rejects.toThrow('no longer wanted');
  await first.thread.terminate();
  expect((await second.ask('b')).pid).toBe(pid);
});

test('they end with their process, and the next one starts in another', async () => {
  const [first, second] = [await start(), await start()];
  const { pid } = await first.ask('a');
  const ended = new Promise<void>((resolve) => second.thread.onEnd(resolve));
  const asked = first.thread.ask('loop', { msMax });
  process.kill(pid, 'SIGKILL');
  expect(await asked).toBe('ended');
  await ended;
  expect([first.thread.isUsable, second.thread.isUsable]).toEqual([false, false]);
  expect(await first.thread.ask('b', { msMax })).toBe('ended');
  const { ask } = await start();
  expect((await ask('c')).pid).not.toBe(pid);
});

test('their process ends when none was held for its time', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  // The process of the tests before has a timer of the real clock.
  const before = await start();
  process.kill((await before.ask('a')).pid, 'SIGKILL');
  await vi.waitUntil(() => !before.thread.isUsable);
  const { thread, ask } = await start();
  const { pid } = await ask('a');
  const release = thread.hold();
  vi.advanceTimersByTime(2 * limits.threadProcessIdleMsMax);
  release();
  vi.advanceTimersByTime(limits.threadProcessIdleMsMax - 1);
  expect(thread.isUsable).toBe(true);
  const ended = new Promise<void>((resolve) => thread.onEnd(resolve));
  vi.advanceTimersByTime(1);
  await ended;
  vi.useRealTimers();
  await untilGone(pid);
});

/** A process that asks a thread, and writes what it says to standard error. */
async function writeAsker(folder: string, more: string): Promise<string> {
  const script = join(folder, 'worker.mjs');
  await writeFile(script, worker);
  const source = (path: string) => JSON.stringify(new URL(`../src/${path}`, import.meta.url));
  const asker = join(folder, 'asker.mjs');
  await writeFile(
    asker,
    `import { WorkerThread } from ${source('worker-thread.ts')};
     import { holdThreadsApart } from ${source('thread-process/thread-process.ts')};
     holdThreadsApart();
     const entry = new URL('worker.mjs', import.meta.url);
     const thread = new WorkerThread({ entry, isLarge: true });
     const { pid } = await thread.ask('print', { msMax: ${msMax} });
     process.stderr.write(\`pid \${pid}\\n\`);
     ${more}`,
  );
  return asker;
}

test('a process with nothing else to do ends, and nothing was printed to its output', async () => {
  const asker = await writeAsker(await temporaryFolder(), '');
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [asker]);
  expect(stdout).toBe('');
  expect(stderr).toContain('printed');
  await untilGone(Number(/pid (\d+)/.exec(stderr)?.[1]));
});

test('they do not outlive a process that is killed, whatever they do', async () => {
  const busy = `thread.ask('loop', { msMax: ${msMax} });`;
  const asker = await writeAsker(await temporaryFolder(), busy);
  const child = spawn(process.execPath, [asker], { stdio: ['ignore', 'ignore', 'pipe'] });
  onTestFinished(() => killProcess(child));
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said += text;
  });
  await vi.waitUntil(() => /pid \d+\n/.test(said), { timeout: 20_000 });
  const pid = Number(/pid (\d+)/.exec(said)?.[1]);
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
  await untilGone(pid);
});

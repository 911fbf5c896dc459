// Work in parallel: never too much at a time, and the first failure stops the rest.

import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { inParallel } from '../../../src/platform/background-tasks/process-items.ts';

const never = new AbortController().signal;

test('runs so many at a time, in their order', async () => {
  const started: number[] = [];
  let [running, most] = [0, 0];
  const run = async (item: number) => {
    started.push(item);
    most = Math.max(most, ++running);
    await delay(1);
    running--;
  };
  await inParallel([1, 2, 3, 4, 5], 2, run, never);
  expect(started).toEqual([1, 2, 3, 4, 5]);
  expect(most).toBe(2);
});

test('stops the others at the first failure, and throws it', async () => {
  const ended: string[] = [];
  const run = async (item: string, stop: AbortSignal) => {
    if (item === 'fails') throw new Error('no');
    await new Promise((resolve) => {
      stop.addEventListener('abort', resolve, { once: true });
    });
    ended.push(item);
  };
  await expect(inParallel(['waits', 'fails', 'late'], 2, run, never)).rejects.toThrow('no');
  expect(ended).toEqual(['waits']);
});

test('throws the reason of its signal, and starts no more', async () => {
  const stop = new AbortController();
  const started: number[] = [];
  const run = async (item: number) => {
    started.push(item);
    stop.abort(new Error('enough'));
  };
  await expect(inParallel([1, 2], 1, run, stop.signal)).rejects.toThrow('enough');
  expect(started).toEqual([1]);
});

test('has nothing to do with no items', async () => {
  await inParallel([], 2, async () => expect.unreachable(), never);
});

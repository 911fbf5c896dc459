// A service that has nothing to do gives its memory back, in two steps, and then leaves it.

import { once } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test, vi } from 'vitest';
import { collectWhenIdle, keepYoungGenerations } from '../../src/bin/service-memory.ts';
import { limits } from '../../src/limits.ts';

/** The collections of a service whose time stands still until a test moves it on. */
function startCollecting() {
  const collect = vi.fn<(options: { flavor: string }) => void>();
  vi.stubGlobal('gc', collect);
  vi.useFakeTimers({ toFake: ['setInterval'] });
  onTestFinished(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });
  collectWhenIdle();
  return collect;
}

test('a service collects twice when it is idle, and not again before its heap has grown', () => {
  const collect = startCollecting();
  for (let look = 0; look < 5; look += 1) vi.advanceTimersByTime(limits.idleLookMs);
  expect(collect.mock.calls.map(([{ flavor }]) => flavor)).toEqual(['regular', 'last-resort']);
});

test('it collects without a flag at its start too', async () => {
  startCollecting();
  vi.stubGlobal('gc', undefined);
  const garbage = makeGarbage();
  // What was looked at in this turn is kept until its end.
  await new Promise(setImmediate);
  for (let look = 0; look < 2; look += 1) vi.advanceTimersByTime(limits.idleLookMs);
  expect(garbage.deref()).toBeUndefined();
});

function makeGarbage(): WeakRef<object> {
  return new WeakRef({});
}

test('a busy one does not', () => {
  const collect = startCollecting();
  const { user, system } = process.cpuUsage();
  const busyUntil = user + system + 2_000 * limits.idleCpuMsMax;
  while (process.cpuUsage().user + process.cpuUsage().system < busyUntil);
  vi.advanceTimersByTime(limits.idleLookMs);
  expect(collect).not.toHaveBeenCalled();
});

test('young generations stay as small as they began, however much lives', async () => {
  expect(await youngBytes()).toBeGreaterThan(8_000_000);
  keepYoungGenerations();
  onTestFinished(() => setFlagsFromString('--semi-space-growth-factor=2'));
  expect(await youngBytes()).toBeLessThan(4_000_000);
});

/** Of a thread that keeps much of what it makes. */
async function youngBytes(): Promise<unknown> {
  const thread = new Worker(
    `const kept = [];
    for (let made = 0; made < 1_000_000; made += 1) kept[made % 200_000] = { made, more: [made] };
    const spaces = require('node:v8').getHeapSpaceStatistics();
    const young = spaces.find(({ space_name }) => space_name === 'new_space');
    require('node:worker_threads').parentPort.postMessage(young.space_size);`,
    { eval: true },
  );
  const [bytes] = await once(thread, 'message');
  return bytes;
}

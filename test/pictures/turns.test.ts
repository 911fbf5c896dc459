// Turns of work that shares memory.

import { expect, test } from 'vitest';
import { createTurns } from '../../src/pictures/turns.ts';

/** Starts works of these shares in turn, and gives what ends each, and which run. */
function start(sharesMax: number, shares: readonly number[]) {
  const inTurn = createTurns(sharesMax);
  const running = new Set<number>();
  const works = shares.map((share, at) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const done = inTurn(share, async () => {
      running.add(at);
      await promise.finally(() => running.delete(at));
      return at;
    });
    return { end: resolve, fail: reject, done };
  });
  const now = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    return [...running];
  };
  return { works, now };
}

test('work runs beside other work while there is room, in the order in which it came', async () => {
  const { works, now } = start(10, [4, 4, 4, 1]);
  expect(await now()).toEqual([0, 1]);
  works[1]?.end();
  expect(await now()).toEqual([0, 2, 3]);
  for (const { end } of works) end();
  expect(await Promise.all(works.map(({ done }) => done))).toEqual([0, 1, 2, 3]);
});

test('what wants more than there is runs alone', async () => {
  const { works, now } = start(10, [1, 99, 1]);
  expect(await now()).toEqual([0]);
  works[0]?.end();
  expect(await now()).toEqual([1]);
  works[1]?.end();
  expect(await now()).toEqual([2]);
  works[2]?.end();
});

test('work that fails makes room too', async () => {
  const { works, now } = start(10, [10, 10]);
  works[0]?.fail(new Error('corrupt'));
  await expect(works[0]?.done).rejects.toThrow('corrupt');
  expect(await now()).toEqual([1]);
  works[1]?.end();
});

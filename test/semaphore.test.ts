// What runs or is held in memory at the same time, and in which order callers come.

import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { Semaphore } from '../src/semaphore.ts';

/** Starts works of these permits one after the other; tells what ends each, and which run. */
function start(permitsMax: number, permits: readonly number[]) {
  const semaphore = new Semaphore({ permitsMax });
  const running = new Set<number>();
  const works = permits.map((count, at) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const work = async () => {
      running.add(at);
      await promise.finally(() => running.delete(at));
      return at;
    };
    return { end: resolve, fail: reject, done: semaphore.run(work, { permits: count }) };
  });
  const now = async () => {
    await setImmediate();
    return [...running];
  };
  return { works, now };
}

describe('of one caller', () => {
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
});

describe('with a signal', () => {
  const never = new AbortController().signal;

  /** Asks for permits, and tells when they are held. */
  function ask(semaphore: Semaphore, permits: number, signal = never) {
    const permit = semaphore.permit({ name: 'all' }, permits);
    const asked = { isHeld: false, release: permit.release, failure: '' };
    Promise.resolve(permit.acquire(signal)).then(
      () => Object.assign(asked, { isHeld: true }),
      (thrown) => Object.assign(asked, { failure: String(thrown) }),
    );
    return asked;
  }

  test('grants what fits, first come, first served', async () => {
    const semaphore = new Semaphore({ permitsMax: 100 });
    const first = ask(semaphore, 60);
    const second = ask(semaphore, 50);
    // It would fit, but whoever came before it goes first.
    const third = ask(semaphore, 10);
    await setImmediate();
    expect([first, second, third].map(({ isHeld }) => isHeld)).toEqual([true, false, false]);
    first.release();
    await setImmediate();
    expect([second, third].map(({ isHeld }) => isHeld)).toEqual([true, true]);
  });

  test('grants alone what is larger than all', async () => {
    const semaphore = new Semaphore({ permitsMax: 100 });
    const small = ask(semaphore, 1);
    const huge = ask(semaphore, 900);
    const next = ask(semaphore, 1);
    await setImmediate();
    expect([huge, next].map(({ isHeld }) => isHeld)).toEqual([false, false]);
    small.release();
    await setImmediate();
    expect([huge, next].map(({ isHeld }) => isHeld)).toEqual([true, false]);
    huge.release();
    await setImmediate();
    expect(next.isHeld).toBe(true);
  });

  test('who gives up while waiting makes way for the next', async () => {
    const semaphore = new Semaphore({ permitsMax: 100 });
    const stop = new AbortController();
    ask(semaphore, 60);
    const waiting = ask(semaphore, 50, stop.signal);
    const next = ask(semaphore, 40);
    await setImmediate();
    stop.abort(new Error('enough'));
    await setImmediate();
    expect(waiting).toMatchObject({ isHeld: false, failure: 'Error: enough' });
    expect(next.isHeld).toBe(true);
    const late = ask(semaphore, 1, stop.signal);
    await setImmediate();
    expect(late.failure).toBe('Error: enough');
  });
});

test('callers take turns, each with what it asked for first', async () => {
  const semaphore = new Semaphore({ permitsMax: 4, callerPermitsMax: 2 });
  const log: string[] = [];
  const ask = (name: string, permits: number) => {
    const permit = semaphore.permit({ name }, permits);
    const acquired = permit.acquire();
    if (acquired === undefined) log.push(`${name} at once`);
    else void acquired.then(() => log.push(name));
    return permit;
  };
  const first = [ask('ada', 2), ask('ada', 1), ask('ada', 1), ask('bob', 1), ask('cy', 1)];
  expect(log).toEqual(['ada at once', 'bob at once', 'cy at once']);
  // More than a caller may have is all that it may have; and nobody overtakes it for ever.
  const whole = ask('dora', 100);
  const late = ask('eve', 1);
  first[3]?.release();
  await setImmediate();
  expect(log.slice(3)).toEqual([]);
  first[4]?.release();
  await setImmediate();
  expect(log.slice(3)).toEqual(['dora']);
  first[0]?.release();
  await setImmediate();
  expect(log.slice(3)).toEqual(['dora', 'ada', 'eve']);
  whole.release();
  late.release();
  await setImmediate();
  expect(log.slice(3)).toEqual(['dora', 'ada', 'eve', 'ada']);
});

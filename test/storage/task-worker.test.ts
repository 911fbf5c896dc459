// Workers, in this process and in others that are killed.

import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Clock, systemClock } from '../../src/clock.ts';
import { FoveaError } from '../../src/errors.ts';
import { createLog } from '../../src/log.ts';
import { openAsyncDatabase } from '../../src/storage/async-database.ts';
import { ServiceAway } from '../../src/storage/service-away.ts';
import {
  type Claim,
  createTaskQueue,
  LeaseLost,
  type TaskQueue,
} from '../../src/storage/task-queue.ts';
import { startTaskWorker, type TaskWorkerOptions } from '../../src/storage/task-worker.ts';
import { settableClock } from '../fixtures/settable-clock.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { startChild } from './child-process.ts';
import { taskMigrations } from './opened-queue.ts';

async function openQueue(clock: Clock = systemClock) {
  const path = join(await temporaryFolder(), 'work.db');
  const database = openAsyncDatabase(path, taskMigrations);
  const queue = createTaskQueue(database, { clock, owner: 'test' });
  const lines: string[] = [];
  const start = (options: Pick<TaskWorkerOptions, 'run'> & Partial<TaskWorkerOptions>) => {
    const log = createLog('debug', (line) => lines.push(line));
    const worker = startTaskWorker({ queue, kinds: ['job'], clock, log, ...options });
    onTestFinished(() => worker.stop());
    return worker;
  };
  const add = (id: string) => queue.add({ id, kind: 'job', payload: null });
  const ended = (id: string) =>
    vi.waitUntil(
      async () => ['completed', 'failed'].includes((await queue.get(id))?.status ?? ''),
      10_000,
    );
  return { path, database, queue, lines, start, add, ended };
}

const untilAborted = (signal: AbortSignal) => delay(60_000, undefined, { signal });

describe('a worker', () => {
  test('does what is there and what comes later, in order, one at a time', async () => {
    const { queue, start, add, ended } = await openQueue();
    const order: string[] = [];
    for (const id of ['a', 'b']) await add(id);
    const worker = start({
      pollMs: 60_000,
      run: async ({ id }) => {
        order.push(`${id} starts`);
        await delay(5);
        order.push(`${id} ends`);
        return { id };
      },
    });
    await ended('b');
    await add('c');
    worker.wake();
    await ended('c');
    expect(order).toEqual(['a starts', 'a ends', 'b starts', 'b ends', 'c starts', 'c ends']);
    expect(await queue.get('c')).toMatchObject({ status: 'completed', result: { id: 'c' } });
  });

  test('finds by itself what others added', async () => {
    const { start, add, ended, queue } = await openQueue();
    start({ pollMs: 10, run: async () => 'found' });
    await delay(30);
    await add('a');
    await ended('a');
    expect((await queue.get('a'))?.result).toBe('found');
  });

  test('renews its lease for as long as the work takes', async () => {
    const { start, add, ended, queue } = await openQueue();
    await add('a');
    start({ leaseMs: 600, pollMs: 10, run: () => delay(1500) });
    start({ leaseMs: 600, pollMs: 10, run: () => delay(1500) });
    await ended('a');
    expect(await queue.get('a')).toMatchObject({ status: 'completed', attempts: 1 });
  });

  test('says why work failed, in words of ours', async () => {
    const { start, add, ended, queue, lines } = await openQueue();
    await add('a');
    start({
      run: async () => {
        throw new FoveaError('not_found', 'The version is gone.');
      },
    });
    await ended('a');
    expect(await queue.get('a')).toMatchObject({ status: 'failed', error: 'The version is gone.' });
    expect(lines.join('')).not.toContain(' error ');
  });

  test('postpones what comes too early, for longer each time, and gives up in the end', async () => {
    const clock = settableClock();
    const { start, add, queue, lines } = await openQueue(clock);
    await add('a');
    await add('b');
    const attempts: string[] = [];
    const worker = start({
      run: async ({ id, attempt }) => {
        attempts.push(`${id}${attempt} ${clock.now()}`);
        if (id === 'a') throw new FoveaError('unavailable', 'Others keep changing the rows.');
      },
    });
    await vi.waitUntil(async () => (await queue.get('b'))?.status === 'completed');
    expect((await queue.get('a'))?.status).toBe('running');
    for (const seconds of [10, 20, 40, 80]) {
      const before = attempts.length;
      clock.advance(seconds * 1_000 - 1);
      worker.wake();
      await delay(20);
      expect(attempts).toHaveLength(before);
      clock.advance(1);
      worker.wake();
      await vi.waitUntil(() => attempts.length > before);
    }
    await vi.waitUntil(async () => (await queue.get('a'))?.status === 'failed');
    expect(await queue.get('a')).toMatchObject({
      attempts: 5,
      error: 'Others keep changing the rows.',
      errorCode: 'unavailable',
    });
    expect(lines.join('')).toContain('Work was postponed.');
  });

  test('lets work wait for a service that is away, for a day', async () => {
    const clock = settableClock();
    const { start, add, queue, ended } = await openQueue(clock);
    await add('a');
    let attempts = 0;
    const worker = start({
      run: async ({ attempt }) => {
        expect(attempt).toBe(1);
        attempts += 1;
        const cause = new ServiceAway('object-store', 'The object store cannot be reached.', 'x');
        throw new FoveaError('unavailable', 'Image 1: not there.', { cause });
      },
    });
    const waits = () => vi.waitUntil(async () => (await queue.get('a'))?.waitsFor !== undefined);
    for (let times = 1; times <= 12; times += 1) {
      await vi.waitUntil(() => attempts === times);
      await waits();
      expect(await queue.get('a')).toMatchObject({ status: 'running', waitsFor: 'object-store' });
      clock.advance(300_000);
      worker.wake();
    }
    await vi.waitUntil(() => attempts === 13);
    await waits();
    clock.advance(24 * 3_600_000);
    worker.wake();
    await ended('a');
    expect(await queue.get('a')).toMatchObject({
      status: 'failed',
      attempts: 1,
      error: 'Image 1: not there. Fovea tried for 24 hours.',
      errorCode: 'unavailable',
    });
  });

  test('shows nothing of an unforeseen error, and logs where it came from', async () => {
    const { start, add, ended, queue, lines } = await openQueue();
    await add('a');
    start({
      run: async () => {
        throw new TypeError('secret words');
      },
    });
    await ended('a');
    expect((await queue.get('a'))?.error).toBe('The work failed inside Fovea.');
    const logged = lines.join('');
    expect(logged).toMatch(/error fovea: Work failed\. error="TypeError" at=".*task-worker\.test/);
    expect(logged).not.toContain('secret words');
  });

  test('goes on after work that failed', async () => {
    const { start, add, ended, queue } = await openQueue();
    await add('a');
    await add('b');
    start({
      run: async ({ id }) => {
        if (id === 'a') throw new Error('no');
      },
    });
    await ended('b');
    expect((await queue.get('b'))?.status).toBe('completed');
  });
});

describe('while the database is away', () => {
  /** A queue on a database that can be away. */
  function cut(queue: TaskQueue) {
    let isAway = false;
    let asked = 0;
    const reach = async <T>(call: () => Promise<T>): Promise<T> => {
      asked += 1;
      if (isAway) throw new ServiceAway('database', 'The database cannot be reached.', undefined);
      return call();
    };
    const claim: TaskQueue['claim'] = (...wanted) =>
      reach(async () => {
        const found = await queue.claim(...wanted);
        return (
          found && {
            ...found,
            renew: () => reach(found.renew),
            complete: (result) => reach(() => found.complete(result)),
            waitFor: (service) => reach(() => found.waitFor(service)),
          }
        );
      });
    const set = (away: boolean) => {
      isAway = away;
      asked = 0;
    };
    return { queue: { ...queue, claim }, set, asked: () => asked };
  }

  test('work that ends is completed once it is back, and not done again', async () => {
    const { start, add, ended, queue, lines } = await openQueue();
    const line = cut(queue);
    await add('a');
    let runs = 0;
    start({
      queue: line.queue,
      pollMs: 10,
      run: async () => {
        runs += 1;
        line.set(true);
        return 'done';
      },
    });
    await vi.waitUntil(() => line.asked() > 5);
    line.set(false);
    await ended('a');
    expect(await queue.get('a')).toMatchObject({ status: 'completed', result: 'done' });
    expect(runs).toBe(1);
    const told = lines.filter((text) => text.includes('The end of work waits for the database.'));
    expect(told).toHaveLength(1);
  });

  test('work that it ends waits for it, and does not count', async () => {
    const { start, add, queue } = await openQueue();
    const line = cut(queue);
    await add('a');
    start({
      queue: line.queue,
      pollMs: 10,
      run: async () => {
        line.set(true);
        throw new ServiceAway('database', 'The database cannot be reached.', undefined);
      },
    });
    await vi.waitUntil(() => line.asked() > 5);
    line.set(false);
    await vi.waitUntil(async () => (await queue.get('a'))?.waitsFor === 'database');
    expect(await queue.get('a')).toMatchObject({ status: 'running', attempts: 0 });
  });

  test('the lease of one who works on is not taken when it is back', async () => {
    const { start, add, ended, queue, database } = await openQueue();
    const line = cut(queue);
    await add('a');
    const working = Promise.withResolvers<void>();
    let runs = 0;
    const run = async () => {
      runs += 1;
      await working.promise;
      return 'done';
    };
    start({ queue: line.queue, leaseMs: 1_000, pollMs: 10, run });
    await vi.waitUntil(() => runs === 1);
    start({ queue: line.queue, leaseMs: 1_000, pollMs: 10, run });
    line.set(true);
    await vi.waitUntil(() => line.asked() > 5);
    await database.run('UPDATE work SET lease_expires = 0');
    line.set(false);
    const renewed = 'SELECT lease_expires AS n FROM work';
    await vi.waitUntil(
      async () => (await database.get(renewed, [], (row) => row.integer('n'))) !== 0,
    );
    working.resolve();
    await ended('a');
    expect(await queue.get('a')).toMatchObject({ status: 'completed', attempts: 1 });
    expect(runs).toBe(1);
  });

  test('a service that stops does not wait for it', async () => {
    const { start, add, queue } = await openQueue();
    const line = cut(queue);
    await add('a');
    const worker = start({
      queue: line.queue,
      pollMs: 10,
      run: async () => {
        line.set(true);
        return 'done';
      },
    });
    await vi.waitUntil(() => line.asked() > 5);
    await worker.stop();
    expect((await queue.get('a'))?.status).toBe('running');
  });
});

describe('losing the lease', () => {
  test('aborts the run, which can write nothing more', async () => {
    const { start, add, queue, database } = await openQueue();
    await add('a');
    const seen = Promise.withResolvers<{ claim: Claim; signal: AbortSignal }>();
    start({
      leaseMs: 60,
      run: async (claim, signal) => {
        await database.run(
          "UPDATE work SET lease_owner = 'other', lease_expires = 1e15, attempts = 3",
        );
        await untilAborted(signal).catch(() => {});
        seen.resolve({ claim, signal });
        throw new Error('too late');
      },
    });
    const { claim, signal } = await seen.promise;
    expect(signal.reason).toBeInstanceOf(LeaseLost);
    await expect(claim.fenced(() => database.run("INSERT INTO done VALUES ('x')"))).rejects.toThrow(
      LeaseLost,
    );
    // It lives: what it lost did not end it.
    await vi.waitUntil(async () => (await queue.get('a'))?.attempts === 2);
    expect(await queue.get('a')).toMatchObject({ status: 'running', error: undefined });
  });
});

describe('stopping', () => {
  test('gives the work back, so that another worker has it at once', async () => {
    const { start, add, ended, queue } = await openQueue();
    await add('a');
    const started = Promise.withResolvers<void>();
    const first = start({
      run: async (_, signal) => {
        started.resolve();
        await untilAborted(signal);
      },
    });
    await started.promise;
    start({ pollMs: 10, run: async ({ attempt }) => ({ attempt }) });
    await first.stop();
    await ended('a');
    expect(await queue.get('a')).toMatchObject({ status: 'completed', result: { attempt: 1 } });
  });

  test('completes work that ends well meanwhile', async () => {
    const { start, add, queue } = await openQueue();
    await add('a');
    const started = Promise.withResolvers<void>();
    const worker = start({
      run: async () => {
        started.resolve();
        await delay(50);
        return 'ended well';
      },
    });
    await started.promise;
    await worker.stop();
    expect(await queue.get('a')).toMatchObject({ status: 'completed', result: 'ended well' });
  });

  test('does not wait for a run that does not listen, which then can write nothing', async () => {
    const { start, add, queue, database } = await openQueue();
    await add('a');
    const claimed = Promise.withResolvers<Claim>();
    const worker = start({
      run: (claim) => {
        claimed.resolve(claim);
        return new Promise(() => {});
      },
    });
    const claim = await claimed.promise;
    await worker.stop();
    expect(await queue.get('a')).toMatchObject({ status: 'created', attempts: 0 });
    await expect(claim.fenced(() => database.run("INSERT INTO done VALUES ('x')"))).rejects.toThrow(
      LeaseLost,
    );
  });

  test('starts nothing more', async () => {
    const { start, add, queue } = await openQueue();
    const worker = start({ pollMs: 10, run: async () => 'done' });
    await worker.stop();
    await add('a');
    worker.wake();
    await delay(40);
    expect((await queue.get('a'))?.status).toBe('created');
  });
});

describe('processes', () => {
  test('take over from one that was killed, and the work is done once', async () => {
    const { path, queue, database, add } = await openQueue();
    await add('a');
    const first = startChild('do-work.ts', path, 'first');
    await first.says('started 1');
    const second = startChild('do-work.ts', path, 'second');
    await second.says('ready');
    await delay(2000);
    expect(second.lines).toEqual(['ready']);
    await first.kill();
    await second.says('completed');
    await vi.waitUntil(async () => (await queue.get('a'))?.status === 'completed');
    expect(second.lines).toEqual(['ready', 'started 2', 'completed']);
    expect(await queue.get('a')).toMatchObject({ result: { by: 'second' }, attempts: 2 });
    expect(await database.all('SELECT name FROM done', [], (row) => row.text('name'))).toEqual([
      'second',
    ]);
  });

  test('share work without doing any of it twice', async () => {
    const { path, queue, database, add } = await openQueue();
    const ids = Array.from({ length: 30 }, (_, n) => `w${n}`);
    for (const id of ids) await add(id);
    await database.run('UPDATE work SET attempts = 1');
    const children = ['a', 'b', 'c'].map((name) => startChild('do-work.ts', path, name));
    await vi.waitUntil(async () => {
      const tasks = await Promise.all(ids.map((id) => queue.get(id)));
      return tasks.every((task) => task?.status === 'completed');
    }, 20_000);
    expect((await queue.get('w0'))?.attempts).toBe(2);
    const done = await database.get('SELECT count(*) AS n FROM done', [], (row) =>
      row.integer('n'),
    );
    expect(done).toBe(30);
    await Promise.all(children.map((child) => child.kill()));
  });
});

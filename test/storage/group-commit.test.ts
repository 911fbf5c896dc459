// Writes that wait together share a transaction; what goes wrong in one leaves the others alone.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { limits } from '../../src/limits.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { createGroupCommit } from '../../src/storage/group-commit-queue.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { type NumberCommand, type NumberOutcome, numberTable } from './number-table.ts';

async function numbers() {
  const path = join(await temporaryFolder(), 'numbers.db');
  const commit = createGroupCommit<NumberCommand, NumberOutcome>({
    entry: new URL('./processes/number-thread.ts', import.meta.url),
    data: path,
    now: () => 1234,
  });
  onTestFinished(() => commit.close());
  return { commit, path };
}

function stored(path: string): number[] {
  const database = openDatabase(path, [numberTable]);
  try {
    const sql = 'SELECT number FROM numbers WHERE time = 1234 ORDER BY number';
    return database.all(sql, [], (row) => row.integer('number'));
  } finally {
    database.close();
  }
}

test('what waits while a transaction runs goes into the next one, together', async () => {
  const { commit, path } = await numbers();
  await commit.submit({ number: 0 }, 1);
  const other = lockedBySomebody(path);
  const first = Promise.all([1, 2].map((number) => commit.submit({ number }, 1)));
  // The thread has them, and waits for the lock.
  await sleep(200);
  const second = Promise.all([3, 4].map((number) => commit.submit({ number }, 1)));
  await sleep(50);
  const third = commit.submit({ number: 5 }, 1);
  other.exec('ROLLBACK');
  const outcomes = [...(await first), ...(await second), await third];
  expect(outcomes.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5]);
  expect(outcomes.map(({ transaction }) => transaction)).toEqual([2, 2, 3, 3, 3]);
  expect(stored(path)).toEqual([0, 1, 2, 3, 4, 5]);
});

test('a batch is bounded in commands and in bytes', async () => {
  const { commit } = await numbers();
  const many = Array.from({ length: 1025 }, (_, number) => commit.submit({ number }, 1));
  const large = 3 * 1024 * 1024;
  const heavy = [2000, 2001, 2002].map((number) => commit.submit({ number }, large));
  const huge = commit.submit({ number: 3000 }, 100 * large);
  const outcomes = await Promise.all([...many, ...heavy, huge]);
  const sizes: number[] = [];
  for (const { transaction } of outcomes) {
    sizes[transaction - 1] = (sizes[transaction - 1] ?? 0) + 1;
  }
  expect(sizes).toEqual([512, 512, 2, 1, 1, 1]);
});

test('a refused command leaves the others in their transaction', async () => {
  const { commit, path } = await numbers();
  const answers = await Promise.allSettled([
    commit.submit({ number: 1 }, 1),
    commit.submit({ number: 2, end: 'refuse' }, 1),
    commit.submit({ number: 3 }, 1),
  ]);
  expect(answers).toMatchObject([
    { value: { transaction: 1 } },
    { reason: { code: 'conflict', message: 'No.', hint: 'Never.' } },
    { value: { transaction: 1 } },
  ]);
  expect(stored(path)).toEqual([1, 3]);
});

test('an unforeseen failure undoes only what failed', async () => {
  const { commit, path } = await numbers();
  await commit.submit({ number: 7 }, 1);
  const answers = await Promise.allSettled([
    commit.submit({ number: 1 }, 1),
    commit.submit({ number: 2, end: 'break' }, 1),
    // Its number is there already.
    commit.submit({ number: 7 }, 1),
    commit.submit({ number: 3 }, 1),
  ]);
  expect(answers).toMatchObject([
    { value: { number: 1 } },
    { reason: { code: 'internal', message: 'Something failed inside Fovea.' } },
    { reason: { code: 'internal', message: 'The database refused a statement.' } },
    { value: { number: 3 } },
  ]);
  expect(stored(path)).toEqual([1, 3, 7]);
});

test('a thread that dies fails what it had, and the next write has a new one', async () => {
  const { commit, path } = await numbers();
  const dying = Promise.allSettled([
    commit.submit({ number: 1 }, 1),
    commit.submit({ number: 2, end: 'die' }, 1),
  ]);
  // They may be done, so they are not to be made again.
  const ended = { status: 'rejected', reason: { code: 'internal', retry: 'never' } };
  expect(await dying).toMatchObject([ended, ended]);
  expect(await commit.submit({ number: 3 }, 1)).toEqual({ number: 3, transaction: 1 });
  expect(stored(path)).toEqual([3]);
});

/** A transaction has the number that it has in its thread. */
describe('a thread that nothing comes to for a while', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
  });

  test('ends after it wrote much, and the next write has a new one', async () => {
    const { commit, path } = await numbers();
    await commit.submit({ number: 1 }, limits.groupCommitRestBytesMin);
    await commit.submit({ number: 2 }, 1);
    vi.advanceTimersByTime(limits.groupCommitRestMs);
    expect(await commit.submit({ number: 3 }, 1)).toEqual({ number: 3, transaction: 1 });
    // The new one has written little.
    vi.advanceTimersByTime(limits.groupCommitRestMs);
    expect(await commit.submit({ number: 4 }, 1)).toEqual({ number: 4, transaction: 2 });
    await commit.close();
    expect(stored(path)).toEqual([1, 2, 3, 4]);
  });

  test('ends later after it wrote little', async () => {
    const { commit, path } = await numbers();
    await commit.submit({ number: 1 }, 1);
    vi.advanceTimersByTime(29_000);
    expect(await commit.submit({ number: 2 }, 1)).toEqual({ number: 2, transaction: 2 });
    vi.advanceTimersByTime(30_000);
    expect(await commit.submit({ number: 3 }, 1)).toEqual({ number: 3, transaction: 1 });
    await commit.close();
    expect(stored(path)).toEqual([1, 2, 3]);
  });

  test('stays while writes come, and while it has not answered', async () => {
    const { commit, path } = await numbers();
    const half = limits.groupCommitRestMs / 2;
    await commit.submit({ number: 1 }, limits.groupCommitRestBytesMin);
    vi.advanceTimersByTime(half);
    await commit.submit({ number: 2 }, 1);
    vi.advanceTimersByTime(half);
    const other = lockedBySomebody(path);
    const third = commit.submit({ number: 3 }, 1);
    // The thread has it, and waits for the lock.
    await new Promise(setImmediate);
    vi.advanceTimersByTime(limits.groupCommitRestMs);
    other.exec('ROLLBACK');
    expect(await third).toEqual({ number: 3, transaction: 3 });
    expect(await commit.submit({ number: 4 }, 1)).toEqual({ number: 4, transaction: 4 });
  });

  test('that is about to end is waited for when the store is closed', async () => {
    const { commit, path } = await numbers();
    await commit.submit({ number: 1 }, limits.groupCommitRestBytesMin);
    vi.advanceTimersByTime(limits.groupCommitRestMs);
    await commit.close();
    expect(existsSync(`${path}-wal`)).toBe(false);
  });
});

test('a thread that cannot start fails every write', async () => {
  const commit = createGroupCommit({
    entry: new URL('./processes/missing-thread.ts', import.meta.url),
    data: undefined,
    now: () => 0,
  });
  await expect(commit.submit(1, 1)).rejects.toMatchObject({ code: 'internal' });
  await expect(commit.submit(2, 1)).rejects.toMatchObject({ code: 'internal' });
  await commit.close();
});

test('a thread that could not be made fails the write; the next write makes one', async () => {
  const path = join(await temporaryFolder(), 'numbers.db');
  const entry = new URL('./processes/number-thread.ts', import.meta.url);
  // No thread can be made of such an address.
  const options = { entry: new URL('http://localhost/'), data: path, now: () => 1234 };
  const commit = createGroupCommit<NumberCommand, NumberOutcome>(options);
  onTestFinished(() => commit.close());
  const failed = await Promise.allSettled([1, 2].map((number) => commit.submit({ number }, 1)));
  const refusal = { status: 'rejected', reason: { code: 'internal', retry: 'safe' } };
  expect(failed).toMatchObject([refusal, refusal]);
  options.entry = entry;
  expect(await commit.submit({ number: 3 }, 1)).toEqual({ number: 3, transaction: 1 });
  expect(stored(path)).toEqual([3]);
});

/** Somebody else's transaction that does not end by itself. */
function lockedBySomebody(path: string): DatabaseSync {
  const other = new DatabaseSync(path);
  other.exec('BEGIN IMMEDIATE');
  onTestFinished(() => other.close());
  return other;
}

test('a lock that somebody else holds fails all of a batch at once: 400 waits would take too long', async () => {
  const { commit, path } = await numbers();
  await commit.submit({ number: 1 }, 1);
  const other = lockedBySomebody(path);
  const many = Array.from({ length: 400 }, (_, at) => commit.submit({ number: at + 2 }, 1));
  const answers = await Promise.allSettled(many);
  const codes = answers.map((answer) => answer.status === 'rejected' && answer.reason.retry);
  expect(new Set(codes)).toEqual(new Set(['safe']));
  other.exec('ROLLBACK');
  expect(await commit.submit({ number: 500 }, 1)).toEqual({ number: 500, transaction: 2 });
  expect(stored(path)).toEqual([1, 500]);
});

test('closing does not wait for a lock that somebody else holds', async () => {
  const { commit, path } = await numbers();
  await commit.submit({ number: 1 }, 1);
  lockedBySomebody(path);
  const first = commit.submit({ number: 2 }, 1);
  await new Promise(setImmediate);
  const second = commit.submit({ number: 3 }, 1);
  const answers = Promise.allSettled([first, second]);
  await commit.close();
  const ended = { code: 'internal', retry: 'never', message: 'The thread that writes ended.' };
  expect(await answers).toMatchObject([{ reason: ended }, { reason: ended }]);
});

test('closing waits for what was submitted, and takes nothing more', async () => {
  const { commit, path } = await numbers();
  const last = commit.submit({ number: 1 }, 1);
  await commit.close();
  expect(await last).toEqual({ number: 1, transaction: 1 });
  await expect(commit.submit({ number: 2 }, 1)).rejects.toMatchObject({ code: 'internal' });
  await commit.close();
  expect(stored(path)).toEqual([1]);
});

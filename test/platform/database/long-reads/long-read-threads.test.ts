// Long reads in threads: in turns, with an end, and never in the way of others.

import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { FoveaError } from '../../../../src/errors.ts';
import { startLongReadThreads } from '../../../../src/platform/database/long-reads/long-read-threads.ts';
import type {
  LongReads,
  Question,
} from '../../../../src/platform/database/long-reads/long-reads.ts';
import { seedImages } from '../../seed-images.ts';

async function openReader(msMax?: number): Promise<LongReads> {
  const { data } = await seedImages(3);
  const reader = startLongReadThreads(join(data, 'platform.db'), msMax);
  onTestFinished(() => reader.close());
  return reader;
}

function counts(projects: number): Question<'counts'> {
  return { name: 'counts', asked: [Array.from({ length: projects }, () => 'large-project')] };
}

function codeOf(result: PromiseSettledResult<unknown>): string {
  if (result.status === 'fulfilled') return 'answered';
  return result.reason instanceof FoveaError ? result.reason.code : String(result.reason);
}

it('reads what was written, and what is written after that', async () => {
  const { data, database } = await seedImages(3);
  const reader = startLongReadThreads(join(data, 'platform.db'));
  onTestFinished(() => reader.close());
  const images = async () => {
    const [found] = await reader.read('acme', counts(1));
    return found?.images;
  };
  expect(await images()).toBe(3);
  database.run("DELETE FROM images WHERE id = 'image-1'");
  expect(await images()).toBe(2);
});

it('throws what the read throws, with its problems', async () => {
  const reader = await openReader();
  const request = { q: 'colour:red', type: undefined, limit: 1, page: 1, now: 1 };
  await expect(reader.read('acme', { name: 'catalog', asked: [request] })).rejects.toMatchObject({
    code: 'invalid_input',
    problems: [{ path: 'q' }],
  });
});

it('leaves the thread that asks free while it reads', async () => {
  const reader = await openReader();
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 1);
  onTestFinished(() => clearInterval(timer));
  expect(await reader.read('acme', counts(20_000))).toHaveLength(20_000);
  expect(turns).toBeGreaterThan(5);
});

it('gives up what takes too long, in words, and answers the next one', async () => {
  const reader = await openReader(200);
  await expect(reader.read('acme', counts(300_000))).rejects.toMatchObject({
    code: 'invalid_input',
    message: 'This looks through more than one call may: it was given up.',
    hint: expect.stringContaining('Narrow it'),
  });
  expect(await reader.read('acme', counts(2))).toHaveLength(2);
});

it('ends what nobody waits for, in turn or at work, and answers the next one', async () => {
  const reader = await openReader();
  const [running, waiting] = [new AbortController(), new AbortController()];
  const started = reader.read('acme', counts(300_000), { signal: running.signal });
  const next = reader.read('acme', counts(1), { signal: waiting.signal });
  const last = reader.read('acme', counts(2));
  waiting.abort(new Error('not wanted'));
  await expect(next).rejects.toThrow('not wanted');
  running.abort(new Error('given up'));
  await expect(started).rejects.toThrow('given up');
  expect(await last).toHaveLength(2);
  await expect(reader.read('acme', counts(1), { signal: waiting.signal })).rejects.toThrow(
    'not wanted',
  );
});

it('lets 100 of a workspace wait, and nobody else for them', async () => {
  const reader = await openReader();
  const asked = Array.from({ length: 105 }, () => reader.read('acme', counts(1)));
  const other = reader.read('globex', counts(1));
  const ended = (await Promise.allSettled(asked)).map(codeOf);
  expect(ended.filter((code) => code === 'answered')).toHaveLength(101);
  expect(ended.filter((code) => code === 'rate_limited')).toHaveLength(4);
  expect(await other).toHaveLength(1);
});

it('ends a thread that was idle for a while, and answers the next read by another one', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const others = threads();
  const reader = await openReader();
  expect(await reader.read('acme', counts(1))).toHaveLength(1);
  vi.advanceTimersByTime(9_000);
  expect(threads() - others).toBe(1);
  vi.advanceTimersByTime(1_000);
  // A thread takes a moment to end.
  while (threads() > others) await new Promise((resolve) => setImmediate(resolve));
  expect(await reader.read('acme', counts(2))).toHaveLength(2);
});

/** Of this process. */
function threads(): number {
  const report: unknown = process.report.getReport();
  const isReport = typeof report === 'object' && report !== null && 'workers' in report;
  return isReport && Array.isArray(report.workers) ? report.workers.length : Number.NaN;
}

it('ends with what waits and what runs', async () => {
  const reader = await openReader();
  const asked = [counts(300_000), counts(1)].map((one) => reader.read('acme', one));
  const ended = Promise.allSettled(asked);
  await reader.close();
  expect((await ended).map(codeOf)).toEqual(['cancelled', 'cancelled']);
  await expect(reader.read('acme', counts(1))).rejects.toMatchObject({ code: 'cancelled' });
});

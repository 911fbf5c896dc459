// What the queue promises of tasks that wait for a service which is away.

import { describe, expect, test } from 'vitest';
import { LeaseLost } from '../../src/storage/task-queue.ts';
import type { OpenWork } from './opened-queue.ts';

const job = { id: 'w1', kind: 'job', payload: { version: 'v1' } };
const leaseMs = 15_000;
const second = 1_000;
const hour = 3_600 * second;

export function judgeWaiting(openWork: OpenWork): void {
  judgeWaits(openWork);
  judgeAttempts(openWork);
  judgeOwners(openWork);
}

function judgeWaits(openWork: OpenWork): void {
  describe('waiting for a service', () => {
    test('counts no attempt, takes longer each time, and is told', async () => {
      const { work, clock } = await openWork();
      const began = clock.now();
      await work.add(job);
      // As long as it has waited, from 10 seconds to 5 minutes.
      for (const pause of [10, 10, 20, 40, 80, 160, 300, 300, 300]) {
        const claim = await work.claim(['job']);
        expect(claim?.attempt).toBe(1);
        expect((await work.get('w1'))?.waitsFor).toBeUndefined();
        expect(await claim?.waitFor('object-store')).toBe(true);
        expect(await work.get('w1')).toMatchObject({
          status: 'running',
          attempts: 0,
          waitsFor: 'object-store',
          waitsSince: began,
        });
        await expect(claim?.complete('late')).rejects.toThrow(LeaseLost);
        clock.advance(pause * second - 1);
        expect(await work.claim(['job'])).toBeUndefined();
        clock.advance(1);
      }
      expect((await work.claim(['job']))?.attempt).toBe(1);
    });

    test('has an end after a day without progress', async () => {
      const { work, clock } = await openWork();
      await work.add(job);
      await (await work.claim(['job']))?.waitFor('database');
      clock.advance(24 * hour - 1);
      await (await work.claim(['job']))?.waitFor('database');
      clock.advance(hour);
      const last = await work.claim(['job']);
      expect(await last?.waitFor('object-store')).toBe(false);
      await last?.fail('It is still away.', 'unavailable');
      expect(await work.get('w1')).toMatchObject({ status: 'failed', waitsFor: undefined });
    });
  });
}

function judgeAttempts(openWork: OpenWork): void {
  describe('attempts of work that waits', () => {
    test('begin anew where there was progress in between', async () => {
      const { work, clock } = await openWork();
      await work.add(job);
      await (await work.claim(['job']))?.progress(3, 10);
      clock.advance(leaseMs);
      await (await work.claim(['job']))?.waitFor('object-store');
      clock.advance(23 * hour);
      const again = await work.claim(['job']);
      // That of an attempt which starts over is none.
      await again?.progress(3, 10);
      expect((await work.get('w1'))?.waitsSince).toBe(clock.now() - 23 * hour);
      await again?.progress(4, 10);
      expect((await work.get('w1'))?.waitsSince).toBeUndefined();
      clock.advance(2 * hour);
      expect(await again?.waitFor('object-store')).toBe(true);
      clock.advance(10 * second);
      expect((await work.claim(['job']))?.attempt).toBe(1);
    });

    test('that ended a process count as before', async () => {
      const { work, clock } = await openWork();
      await work.add(job);
      for (let attempt = 1; attempt <= 5; attempt += 1) {
        const claim = await work.claim(['job'], leaseMs);
        expect(claim?.attempt).toBe(attempt);
        await claim?.waitFor('object-store');
        clock.advance(hour);
        expect((await work.claim(['job'], leaseMs))?.attempt).toBe(attempt);
        clock.advance(leaseMs);
      }
      expect(await work.claim(['job'])).toBeUndefined();
      expect(await work.get('w1')).toMatchObject({ status: 'failed', attempts: 5 });
    });
  });
}

function judgeOwners(openWork: OpenWork): void {
  describe('owners of work that waits', () => {
    test('who have lost it, or ended it, change nothing', async () => {
      const { work, clock } = await openWork();
      await work.add(job);
      const stale = await work.claim(['job'], leaseMs);
      clock.advance(leaseMs);
      const valid = await work.claim(['job'], leaseMs);
      await expect(stale?.waitFor('database')).rejects.toThrow(LeaseLost);
      await valid?.complete('done');
      expect(await valid?.waitFor('database')).toBe(true);
      expect(await work.get('w1')).toMatchObject({
        status: 'completed',
        attempts: 2,
        waitsFor: undefined,
      });
    });

    test('come back where nobody could renew a lease', async () => {
      const { work, clock } = await openWork();
      for (const id of ['owned', 'given back', 'new']) await work.add({ ...job, id });
      const owned = await work.claim(['job'], leaseMs);
      await (await work.claim(['job'], leaseMs))?.waitFor('database');
      clock.advance(leaseMs);
      expect((await work.claim(['job'], leaseMs, true))?.id).toBe('given back');
      expect((await work.claim(['job'], leaseMs, true))?.id).toBe('new');
      expect(await work.claim(['job'], leaseMs, true)).toBeUndefined();
      await owned?.renew();
      expect(await work.claim(['job'], leaseMs)).toBeUndefined();
      clock.advance(leaseMs);
      expect(await work.claim(['job'], leaseMs)).toMatchObject({ id: 'owned', attempt: 2 });
    });

    test('who lived on while others had it make an attempt count no more', async () => {
      const { work, clock } = await openWork();
      await work.add(job);
      for (let times = 1; times <= 9; times += 1) {
        const lost = await work.claim(['job'], leaseMs);
        clock.advance(leaseMs);
        const next = await work.claim(['job'], leaseMs);
        await lost?.excuse();
        expect((await work.get('w1'))?.attempts).toBe(1);
        await next?.release();
      }
      const valid = await work.claim(['job'], leaseMs);
      await valid?.excuse();
      expect(await work.get('w1')).toMatchObject({ status: 'running', attempts: 1 });
    });
  });
}

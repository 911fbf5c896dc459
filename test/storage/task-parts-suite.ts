// What the queue promises of tasks in parts: any worker takes a part, and the whole ends with them.

import { describe, expect, test } from 'vitest';
import type { TaskPart } from '../../src/storage/task-parts.ts';
import { LeaseLost } from '../../src/storage/task-queue.ts';
import type { OpenWork } from './opened-queue.ts';

const whole = { id: 'whole', kind: 'job', payload: { workspaceId: 'acme' } };
const leaseMs = 15_000;

const part = (id: string): TaskPart => ({ id, kind: 'part', payload: { workspaceId: 'acme' } });

export function judgeParts(openWork: OpenWork): void {
  judgeWhole(openWork);
  judgeFailingParts(openWork);
  judgeCancelling(openWork);
}

/** Split into two, of three images and of four. */
async function openSplit(openWork: OpenWork) {
  const opened = await openWork();
  await opened.work.add(whole);
  const claim = await opened.work.claim(['job'], leaseMs);
  await claim?.progress(1, 8);
  await claim?.split([part('a'), part('b')]);
  const one = await opened.work.claim(['part'], leaseMs);
  const two = await opened.work.claim(['part'], leaseMs);
  if (!claim || !one || !two) throw new Error('all must be claims');
  return { ...opened, claim, one, two };
}

function judgeWhole(openWork: OpenWork): void {
  describe('work in parts', () => {
    test('is done by all who ask, and goes on once the last part is completed', async () => {
      const { work, claim, one, two } = await openSplit(openWork);
      expect([one.id, two.id]).toEqual(['a', 'b']);
      expect(await work.claim(['job', 'part'])).toBeUndefined();
      await expect(claim.complete('too early')).rejects.toThrow(LeaseLost);
      await two.complete(undefined);
      expect(await work.claim(['job', 'part'])).toBeUndefined();
      await one.complete(undefined);
      const again = await work.claim(['job', 'part']);
      expect(again).toMatchObject({ id: 'whole', payload: whole.payload });
      expect(await work.get('a')).toBeUndefined();
      await again?.complete({ images: 8 });
      expect(await work.get('whole')).toMatchObject({
        status: 'completed',
        result: { images: 8 },
      });
      expect(await work.countOpen()).toEqual([]);
    });

    test('has the progress of its parts, which never goes back', async () => {
      const { work, clock, one, two } = await openSplit(openWork);
      await one.progress(2, 3);
      await two.progress(4, 4);
      expect(await work.get('whole')).toMatchObject({ status: 'running', current: 7, total: 8 });
      clock.advance(leaseMs);
      const again = await work.claim(['part'], leaseMs);
      expect(again?.id).toBe('a');
      await again?.progress(1, 3);
      expect(await work.get('whole')).toMatchObject({ current: 7 });
      await again?.progress(3, 3);
      expect(await work.get('whole')).toMatchObject({ current: 8 });
      await expect(one.progress(3, 3)).rejects.toThrow(LeaseLost);
    });

    test('waits with a part whose service is away, until one gets further', async () => {
      const { work, clock, one, two } = await openSplit(openWork);
      await one.waitFor('object-store');
      expect(await work.get('whole')).toMatchObject({
        status: 'running',
        waitsFor: 'object-store',
        waitsSince: clock.now(),
      });
      clock.advance(10_000);
      expect(await work.claim(['job', 'part'], leaseMs)).toMatchObject({ id: 'a', attempt: 1 });
      await two.progress(1, 4);
      expect((await work.get('whole'))?.waitsFor).toBeUndefined();
      await two.waitFor('database');
      expect((await work.get('whole'))?.waitsFor).toBe('database');
      expect(await work.cancel('whole', 'It was deleted.')).toBe(true);
      expect((await work.get('whole'))?.waitsFor).toBeUndefined();
    });

    test('starts a lost part again, and leaves the others', async () => {
      const { work, clock, one, two } = await openSplit(openWork);
      await one.complete(undefined);
      clock.advance(leaseMs);
      expect(await work.claim(['job', 'part'], leaseMs)).toMatchObject({ id: 'b', attempt: 2 });
      expect(await work.claim(['job', 'part'])).toBeUndefined();
      await expect(two.complete(undefined)).rejects.toThrow(LeaseLost);
      expect(await work.get('whole')).toMatchObject({ status: 'running' });
    });
  });
}

function judgeFailingParts(openWork: OpenWork): void {
  describe('work in parts that fail', () => {
    test('fails with the first part that fails, and the others end', async () => {
      const { work, one, two, writeDone, countDone } = await openSplit(openWork);
      await one.fail('An image is damaged.', 'invalid_input');
      expect(await work.get('whole')).toMatchObject({
        status: 'failed',
        error: 'An image is damaged.',
        errorCode: 'invalid_input',
      });
      await expect(two.fenced(writeDone)).rejects.toThrow(LeaseLost);
      expect(await countDone()).toBe(0);
      expect(await work.claim(['job', 'part'])).toBeUndefined();
      expect(await work.countOpen()).toEqual([]);
    });

    test('fails with a part whose process died each time', async () => {
      const { work, clock, two } = await openSplit(openWork);
      for (let attempt = 2; attempt <= 5; attempt += 1) {
        clock.advance(leaseMs - 1);
        await two.renew();
        clock.advance(1);
        expect(await work.claim(['part'], leaseMs)).toMatchObject({ id: 'a', attempt });
      }
      clock.advance(leaseMs - 1);
      await two.renew();
      clock.advance(1);
      expect(await work.claim(['job', 'part'])).toBeUndefined();
      expect(await work.get('whole')).toMatchObject({
        status: 'failed',
        error: 'Fovea gave up after 5 attempts.',
      });
      await expect(two.renew()).rejects.toThrow(LeaseLost);
    });
  });
}

function judgeCancelling(openWork: OpenWork): void {
  describe('work that is cancelled', () => {
    test('ends when it is cancelled, and begins anew when it is opened again', async () => {
      const { work, one, claim } = await openSplit(openWork);
      await one.progress(2, 3);
      expect(await work.cancel('whole', 'It was deleted.')).toBe(true);
      expect(await work.get('whole')).toMatchObject({
        status: 'failed',
        error: 'It was deleted.',
        errorCode: 'cancelled',
      });
      await expect(one.renew()).rejects.toThrow(LeaseLost);
      await expect(claim.renew()).rejects.toThrow(LeaseLost);
      expect(await work.claim(['job', 'part'])).toBeUndefined();
      expect(await work.cancel('whole', 'Again.')).toBe(false);
      await work.reopen('whole');
      expect(await work.get('whole')).toMatchObject({ status: 'created', error: undefined });
      expect(await work.claim(['job', 'part'])).toMatchObject({ id: 'whole', attempt: 1 });
    });

    test('is not opened again where it ended by itself', async () => {
      const { work } = await openWork();
      await work.add(whole);
      await (await work.claim(['job']))?.fail('It is damaged.', 'invalid_input');
      await work.reopen('whole');
      expect(await work.get('whole')).toMatchObject({ status: 'failed', error: 'It is damaged.' });
    });
  });
}

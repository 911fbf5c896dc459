// What the queue of tasks promises on every engine: work is claimed once, fenced by its lease, and
// given up in the end.

import { describe, expect, test } from 'vitest';
import { createTaskQueue, LeaseLost } from '../../src/storage/task-queue.ts';
import { type Opened, type OpenWork, openWorkOn } from './opened-queue.ts';
import { judgeParts } from './task-parts-suite.ts';
import { judgeWaiting } from './task-waits-suite.ts';

/** `open` gives an empty one, with `taskMigrations`, for each test. */
export function judgeTaskQueue(open: () => Promise<Opened>): void {
  const openWork = () => openWorkOn(open);
  judgeAdding(openWork);
  judgeClaiming(openWork);
  judgeLeases(openWork);
  judgeProgress(openWork);
  judgeEnding(openWork);
  judgeWaiting(openWork);
  judgeFences(openWork);
  judgeHeldWork(openWork);
  judgeTogether(openWork);
  judgeParts(openWork);
}

const job = { id: 'w1', kind: 'job', payload: { version: 'v1' } };
const leaseMs = 15_000;

function judgeAdding(openWork: OpenWork): void {
  describe('adding', () => {
    test('keeps what the worker needs, and shows how it stands', async () => {
      const { work, clock } = await openWork();
      await work.add(job);
      expect(await work.get('w1')).toEqual({
        id: 'w1',
        kind: 'job',
        payload: { version: 'v1' },
        status: 'created',
        current: 0,
        total: 0,
        result: undefined,
        error: undefined,
        errorCode: undefined,
        attempts: 0,
        created: clock.now(),
        updated: clock.now(),
      });
      expect(await work.get('w2')).toBeUndefined();
    });

    test('commits together with the rows of its caller, or not at all', async () => {
      const { work, database, countDone, writeDone } = await openWork();
      const start = async () => {
        await writeDone();
        await work.add(job);
        throw new Error('no');
      };
      await expect(database.transaction(start)).rejects.toThrow('no');
      expect(await work.get('w1')).toBeUndefined();
      expect(await countDone()).toBe(0);
    });

    test('refuses an id that is taken', async () => {
      const { work } = await openWork();
      await work.add(job);
      await expect(work.add({ ...job, payload: 'other' })).rejects.toThrow(
        'work with this id already',
      );
      expect((await work.get('w1'))?.payload).toEqual({ version: 'v1' });
    });

    test('once leaves the work that is there', async () => {
      const { work } = await openWork();
      await work.addOnce(job);
      await work.addOnce({ ...job, payload: 'other' });
      expect((await work.get('w1'))?.payload).toEqual({ version: 'v1' });
    });

    test('unless work of its kind waits or runs: of many at once one is added', async () => {
      const { work } = await openWork();
      const add = (id: string) => work.addUnlessOpen({ id, kind: 'job', payload: {} });
      const added = await Promise.all(['a', 'b', 'c'].map(add));
      expect(added.filter((isAdded) => isAdded)).toHaveLength(1);
      const claim = await work.claim(['job']);
      expect(await add('d')).toBe(false);
      await claim?.complete({});
      expect(await add('e')).toBe(true);
      expect(await work.get('d')).toBeUndefined();
    });
  });
}

function judgeClaiming(openWork: OpenWork): void {
  describe('claiming', () => {
    test('goes round the workspaces, each with its oldest first', async () => {
      const { work, clock } = await openWork();
      const of = (workspaceId: string) => ({ kind: 'job', payload: { workspaceId } });
      for (const id of ['a1', 'a2', 'a3', 'a4']) await work.add({ id, ...of('a') });
      for (const id of ['b1', 'b2']) await work.add({ id, ...of('b') });
      const claimed: (string | undefined)[] = [];
      for (let nth = 0; nth < 6; nth += 1) {
        clock.advance(1_000);
        const claim = await work.claim(['job']);
        await claim?.complete({});
        claimed.push(claim?.id);
      }
      expect(claimed).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', 'a4']);
    });

    test('gives the oldest of the kinds, each once', async () => {
      const { work } = await openWork();
      for (const id of ['b', 'a', 'c']) await work.add({ ...job, id });
      await work.add({ ...job, id: 'other', kind: 'other' });
      const claimed: (string | undefined)[] = [];
      for (let nth = 0; nth < 4; nth += 1) {
        claimed.push((await work.claim(['job', 'unknown']))?.id);
      }
      expect(claimed).toEqual(['b', 'a', 'c', undefined]);
      expect((await work.claim(['other']))?.id).toBe('other');
      expect(await work.claim([])).toBeUndefined();
    });

    test('says what there is to do, and that it runs', async () => {
      const { work } = await openWork();
      await work.add(job);
      expect(await work.claim(['job'])).toMatchObject({ ...job, attempt: 1 });
      expect(await work.get('w1')).toMatchObject({ status: 'running', attempts: 1 });
    });
  });
}

function judgeLeases(openWork: OpenWork): void {
  describe('leases', () => {
    test('give work of a silent process to another one, not before its lease ends', async () => {
      const { work, clock } = await openWork();
      await work.add(job);
      await (await work.claim(['job'], leaseMs))?.progress(3, 10);
      clock.advance(leaseMs - 1);
      expect(await work.claim(['job'])).toBeUndefined();
      clock.advance(1);
      expect((await work.claim(['job']))?.attempt).toBe(2);
      expect(await work.get('w1')).toMatchObject({ current: 3, total: 10 });
    });

    test('leave work to a process that renews', async () => {
      const { work, clock } = await openWork();
      await work.add(job);
      const claim = await work.claim(['job'], leaseMs);
      clock.advance(leaseMs - 1);
      await claim?.renew();
      clock.advance(leaseMs - 1);
      expect(await work.claim(['job'])).toBeUndefined();
    });

    test('give up after five attempts, and go on with the next work', async () => {
      const { work, clock } = await openWork();
      await work.add(job);
      await work.add({ ...job, id: 'next' });
      for (let attempt = 1; attempt <= 5; attempt += 1) {
        expect(await work.claim(['job'], leaseMs)).toMatchObject({ id: 'w1', attempt });
        clock.advance(leaseMs);
      }
      expect((await work.claim(['job']))?.id).toBe('next');
      expect(await work.get('w1')).toMatchObject({
        status: 'failed',
        error: 'Fovea gave up after 5 attempts.',
        attempts: 5,
      });
    });
  });
}

function judgeProgress(openWork: OpenWork): void {
  describe('progress', () => {
    test('never goes back when an attempt starts over', async () => {
      const { work, clock } = await openWork();
      await work.add(job);
      await (await work.claim(['job'], leaseMs))?.progress(7, 10);
      clock.advance(leaseMs);
      const again = await work.claim(['job'], leaseMs);
      expect(again?.reached).toBe(7);
      await again?.progress(2, 10);
      expect(await work.get('w1')).toMatchObject({ current: 7, total: 10, attempts: 2 });
      await again?.progress(8, 10);
      expect(await work.get('w1')).toMatchObject({ current: 8, total: 10 });
    });

    test('keeps work alive that gets further in every attempt, and no other', async () => {
      const { work, clock } = await openWork();
      await work.add(job);
      for (let attempt = 1; attempt <= 8; attempt += 1) {
        await (await work.claim(['job'], leaseMs))?.progress(attempt, 10);
        clock.advance(leaseMs);
      }
      for (let attempt = 1; attempt <= 4; attempt += 1) {
        await (await work.claim(['job'], leaseMs))?.progress(8, 10);
        clock.advance(leaseMs);
      }
      expect(await work.get('w1')).toMatchObject({ status: 'running', attempts: 5 });
      expect(await work.claim(['job'])).toBeUndefined();
      expect(await work.get('w1')).toMatchObject({ status: 'failed' });
    });

    test('does not make work that is given back count twice', async () => {
      const { work } = await openWork();
      await work.add(job);
      const claim = await work.claim(['job']);
      await claim?.progress(1, 2);
      await claim?.release();
      expect(await work.get('w1')).toMatchObject({ status: 'created', attempts: 0, current: 1 });
    });
  });
}

function judgeEnding(openWork: OpenWork): void {
  describe('ending', () => {
    test('well keeps the result', async () => {
      const { work, clock } = await openWork();
      await work.add(job);
      const claim = await work.claim(['job']);
      clock.advance(leaseMs * 2);
      await claim?.complete({ images: 3 });
      expect(await work.get('w1')).toMatchObject({ status: 'completed', result: { images: 3 } });
      expect((await work.get('w1'))?.updated).toBe(clock.now());
      expect(await work.claim(['job'])).toBeUndefined();
    });

    test('without a result is ending well too', async () => {
      const { work } = await openWork();
      await work.add(job);
      await (await work.claim(['job']))?.complete(undefined);
      expect(await work.get('w1')).toMatchObject({ status: 'completed', result: null });
    });

    test('badly keeps the reason', async () => {
      const { work } = await openWork();
      await work.add(job);
      await (await work.claim(['job']))?.fail('The images are gone.', 'not_found');
      expect(await work.get('w1')).toMatchObject({
        status: 'failed',
        error: 'The images are gone.',
        errorCode: 'not_found',
      });
      expect(await work.claim(['job'])).toBeUndefined();
    });

    test('twice changes nothing', async () => {
      const { work } = await openWork();
      await work.add(job);
      const claim = await work.claim(['job']);
      await claim?.complete('first');
      await claim?.complete('second');
      await claim?.fail('third', 'internal');
      await claim?.release();
      expect(await work.get('w1')).toMatchObject({ status: 'completed', result: 'first' });
    });

    test('by giving it back lets another one start at once, and does not count', async () => {
      const { work } = await openWork();
      await work.add(job);
      const claim = await work.claim(['job']);
      await claim?.release();
      expect(await work.get('w1')).toMatchObject({ status: 'created', attempts: 0 });
      expect((await work.claim(['job']))?.attempt).toBe(1);
      await expect(claim?.renew()).rejects.toThrow(LeaseLost);
    });

    test('by postponing it lets another one start later, and counts', async () => {
      const { work, clock } = await openWork();
      await work.add(job);
      const claim = await work.claim(['job']);
      await claim?.postpone(1_000);
      await expect(claim?.complete('late')).rejects.toThrow(LeaseLost);
      clock.advance(999);
      expect(await work.claim(['job'])).toBeUndefined();
      clock.advance(1);
      expect((await work.claim(['job']))?.attempt).toBe(2);
    });
  });
}

function judgeFences(openWork: OpenWork): void {
  describe('a claim that was taken over', () => {
    async function openStale() {
      const opened = await openWork();
      await opened.work.add(job);
      const stale = await opened.work.claim(['job'], leaseMs);
      opened.clock.advance(leaseMs);
      const valid = await opened.work.claim(['job'], leaseMs);
      if (stale === undefined || valid === undefined) throw new Error('both must be claims');
      return { ...opened, stale, valid };
    }

    test('can no longer change the work', async () => {
      const { work, stale } = await openStale();
      await expect(stale.renew()).rejects.toThrow(LeaseLost);
      await expect(stale.progress(1, 2)).rejects.toThrow(LeaseLost);
      await expect(stale.complete('stale')).rejects.toThrow(LeaseLost);
      await expect(stale.fail('stale', 'internal')).rejects.toThrow(LeaseLost);
      await expect(stale.release()).rejects.toThrow(LeaseLost);
      expect(await work.get('w1')).toMatchObject({ status: 'running', attempts: 2, current: 0 });
    });

    test('can no longer write for the work', async () => {
      const { stale, valid, countDone, writeDone } = await openStale();
      await expect(stale.fenced(writeDone)).rejects.toThrow(LeaseLost);
      expect(await countDone()).toBe(0);
      expect(await valid.fenced(writeDone)).toBe(1);
      expect(await countDone()).toBe(1);
    });

    test('can write nothing once the work has ended', async () => {
      const { stale, valid, countDone, writeDone } = await openStale();
      await valid.complete('done');
      await expect(stale.fenced(writeDone)).rejects.toThrow(LeaseLost);
      await expect(valid.fenced(writeDone)).rejects.toThrow(LeaseLost);
      expect(await countDone()).toBe(0);
    });
  });
}

function judgeHeldWork(openWork: OpenWork): void {
  describe('held work', () => {
    test('is claimed by nobody before it begins', async () => {
      const { work } = await openWork();
      await work.add({ ...job, held: true });
      expect(await work.get('w1')).toMatchObject({ kind: 'job', status: 'created' });
      expect(await work.claim(['job'], leaseMs)).toBeUndefined();
      expect(await work.begin('w1')).toBe(true);
      expect(await work.begin('w1')).toBe(false);
      expect(await work.claim(['job'], leaseMs)).toMatchObject({
        id: 'w1',
        kind: 'job',
        attempt: 1,
      });
      expect(await work.begin('w1')).toBe(false);
    });

    test('that does not exist does not begin', async () => {
      const { work } = await openWork();
      expect(await work.begin('w1')).toBe(false);
    });

    test('begins together with the rows of its caller, or not at all', async () => {
      const { work, database } = await openWork();
      await work.add({ ...job, held: true });
      const fails = async () => {
        await work.begin('w1');
        throw new Error('no');
      };
      await expect(database.transaction(fails)).rejects.toThrow('no');
      expect(await work.claim(['job'], leaseMs)).toBeUndefined();
    });

    test('can be failed while nobody has claimed it, and never begins then', async () => {
      const { work } = await openWork();
      await work.add({ ...job, held: true });
      expect(await work.failUnclaimed('w1', 'Nobody came.', 'invalid_input')).toBe(true);
      expect(await work.get('w1')).toMatchObject({
        status: 'failed',
        error: 'Nobody came.',
        errorCode: 'invalid_input',
      });
      expect(await work.begin('w1')).toBe(false);
      expect(await work.claim(['job'], leaseMs)).toBeUndefined();
    });

    test('that somebody has claimed is not failed from outside', async () => {
      const { work } = await openWork();
      await work.add(job);
      const claim = await work.claim(['job'], leaseMs);
      expect(await work.failUnclaimed('w1', 'Nobody came.', 'invalid_input')).toBe(false);
      await claim?.complete({ fine: true });
      expect(await work.get('w1')).toMatchObject({ status: 'completed', result: { fine: true } });
    });
  });
}

function judgeTogether(openWork: OpenWork): void {
  test('rows and the end of their work are there together or not at all', async () => {
    const { work, countDone, writeDone } = await openWork();
    await work.add(job);
    const claim = await work.claim(['job']);
    const finish = (after: () => void) =>
      claim?.fenced(async () => {
        await writeDone();
        await claim.complete('done');
        after();
      });
    const fail = () => {
      throw new Error('no');
    };
    await expect(finish(fail)).rejects.toThrow('no');
    expect([await countDone(), (await work.get('w1'))?.status]).toEqual([0, 'running']);
    await finish(() => {});
    expect([await countDone(), (await work.get('w1'))?.status]).toEqual([1, 'completed']);
  });

  test('two connections share the work', async () => {
    const { openAgain, work, clock } = await openWork();
    const other = createTaskQueue(await openAgain(), { clock, owner: 'other' });
    await work.add(job);
    expect((await other.claim(['job']))?.id).toBe('w1');
    expect(await work.claim(['job'])).toBeUndefined();
  });

  test('tasks of one turn are claimed one after the other, also by another connection', async () => {
    const { openAgain, work, clock } = await openWork();
    const other = createTaskQueue(await openAgain(), { clock, owner: 'other' });
    for (const id of ['1', '2', '3']) await work.add({ ...job, id, turn: 'a' });
    await work.add({ ...job, id: '4', turn: 'b' });
    const first = await other.claim(['job']);
    expect(first?.id).toBe('1');
    const apart = await work.claim(['job']);
    expect(apart?.id).toBe('4');
    await apart?.complete({});
    expect(await work.claim(['job'])).toBeUndefined();
    await first?.complete({});
    const second = await work.claim(['job']);
    expect(second?.id).toBe('2');
    // Its process died: it goes on before the third begins.
    clock.advance(leaseMs);
    expect((await other.claim(['job'], leaseMs))?.id).toBe('2');
    expect(await work.claim(['job'])).toBeUndefined();
  });

  test('of many who claim at once each has work of its own', async () => {
    const { openAgain, work, clock } = await openWork();
    const others = await Promise.all(
      ['a', 'b'].map(async (owner) => createTaskQueue(await openAgain(), { clock, owner })),
    );
    const ids = ['1', '2', '3', '4', '5', '6'];
    for (const id of ids) await work.add({ ...job, id });
    const claims = await Promise.all(
      [work, ...others, work, ...others, ...others].map((each) => each.claim(['job'])),
    );
    const claimed = claims.flatMap((claim) => claim?.id ?? []);
    expect(claimed.toSorted()).toEqual(ids);
  });
}

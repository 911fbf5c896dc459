// Limits: what makes room for what, when nothing is taken in, and how it goes on.

import { describe, expect, test } from 'vitest';
import { FoveaError } from '../../../src/errors.ts';
import { cloudOn, failure, openTestStore, patiently } from './test-store.ts';

describe('the record limit', () => {
  test('is a ring: one more event removes the oldest one', async () => {
    const { create, ids, reasons } = await openTestStore({ settings: { MAX_RECORDS: '10' } });
    const made: string[] = [];
    for (let count = 0; count < 25; count += 1) {
      made.push(await create());
      expect(await ids()).toEqual(made.slice(-10));
    }
    expect(await reasons()).toEqual(Array(15).fill('record_limit'));
  });

  test('removes the next one where the oldest is held', async () => {
    const { store, create, ids } = await openTestStore({ settings: { MAX_RECORDS: '2' } });
    const held = await create();
    await store.hold(held, 'Evidence.');
    await create();
    const third = await create();
    expect(await ids()).toEqual([held, third]);
  });

  test('is exceeded by no more than the creates that run at once', async () => {
    const { create, ids, retention } = await openTestStore({ settings: { MAX_RECORDS: '10' } });
    for (let round = 0; round < 5; round += 1) {
      await Promise.all(Array.from({ length: 32 }, () => create()));
      expect((await ids()).length).toBeLessThanOrEqual(42);
    }
    await retention.cleanNow();
    expect(await ids()).toHaveLength(10);
  });

  test('removes drafts while cloud upload is off', async () => {
    const { create, ids } = await openTestStore({ settings: { MAX_RECORDS: '1' } });
    await create({ draft: true });
    const second = await create();
    expect(await ids()).toEqual([second]);
  });

  test('leaves room for files of drafts that are there', async () => {
    const { create, attach, ids } = await openTestStore({ settings: { MAX_RECORDS: '1' } });
    const draft = await create({ draft: true });
    await attach(draft, new Uint8Array(100));
    expect(await ids()).toEqual([draft]);
  });

  test('makes room ahead where it is large', async () => {
    const { create, store } = await openTestStore({ settings: { MAX_RECORDS: '400' } });
    await Promise.all(Array.from({ length: 400 }, () => create()));
    for (let count = 0; count < 100; count += 1) await create();
    const { records } = await store.usage();
    expect(records).toBeLessThanOrEqual(400);
    expect(records).toBeGreaterThanOrEqual(394);
  });
});

describe('a store that may remove nothing', () => {
  const settings = { ...cloudOn, MAX_RECORDS: '3' };

  test('takes nothing in, and says why', async () => {
    const { create, attach, ids, retention, logLines } = await openTestStore({ settings });
    const draft = await create({ draft: true });
    await create();
    await create();
    const thrown = await failure(create());
    expect(thrown).toBeInstanceOf(FoveaError);
    expect(thrown).toMatchObject({
      code: 'full',
      retryAfterSeconds: 5,
      message:
        'The store holds 3 events of at most 3, and nothing more may be removed: what is left waits for upload, is a draft, or is under a hold.',
    });
    expect(await failure(attach(draft, new Uint8Array(10)))).toMatchObject({ code: 'full' });
    expect(await ids()).toHaveLength(3);
    expect((await retention.admission.state()).blocked).toContain('The store holds 3 events');
    expect(retention.health()).toHaveLength(1);
    expect(logLines.filter((line) => line.includes('Writes are refused now.'))).toHaveLength(1);
  });

  test('takes events in again once uploads have drained', async () => {
    const { store, create, ids, reasons, logLines } = await openTestStore({ settings });
    const [first = '', ...others] = [await create(), await create(), await create()];
    for (let count = 0; count < 5; count += 1) {
      expect(await failure(create())).toMatchObject({ code: 'full' });
    }
    await store.uploaded([first]);
    await expect.poll(() => create().catch(() => undefined), patiently).toBeDefined();
    expect((await ids()).slice(0, 2)).toEqual(others);
    expect(await ids()).toHaveLength(3);
    expect(await reasons()).toEqual(['record_limit']);
    expect(logLines.filter((line) => line.includes('There is room again'))).toHaveLength(1);
  });

  test('shows it before anybody was refused', async () => {
    const { create, retention } = await openTestStore({ settings });
    await Promise.all([create(), create(), create()]);
    expect((await retention.admission.state()).blocked).toBeDefined();
  });

  test('holds count as well', async () => {
    const { store, create } = await openTestStore({ settings: { MAX_RECORDS: '1' } });
    await store.hold(await create(), 'Evidence.');
    expect(await failure(create())).toMatchObject({ code: 'full' });
  });
});

describe('the byte limit', () => {
  const image = new Uint8Array(100_000);

  test('removes the oldest until there is room', async () => {
    const { create, store, ids, reasons } = await openTestStore({
      settings: { MAX_BYTES: '3000000' },
    });
    const made: string[] = [];
    for (let count = 0; count < 60; count += 1) made.push(await create({ images: [image] }));
    const { fileDiskBytes } = await store.usage();
    expect(fileDiskBytes).toBeLessThanOrEqual(3_000_000);
    expect(fileDiskBytes).toBeGreaterThan(2_000_000);
    const left = await ids();
    expect(left).toEqual(made.slice(-left.length));
    expect(await reasons()).toEqual(Array(60 - left.length).fill('byte_limit'));
  });

  test('counts no log of the database, which no removal makes smaller', async () => {
    const { create, ids } = await openTestStore({ settings: { MAX_BYTES: '1000000' } });
    for (let round = 0; round < 20; round += 1) {
      await Promise.all(Array.from({ length: 10 }, () => create()));
    }
    expect((await ids()).length).toBeGreaterThan(100);
  });

  test('refuses at once what can never fit, and removes nothing for it', async () => {
    const { create, attach, ids } = await openTestStore({ settings: { MAX_BYTES: '6000000' } });
    const draft = await create({ draft: true });
    expect(await failure(attach(draft, new Uint8Array(6_000_001)))).toMatchObject({
      code: 'full',
      message: 'This has 6000001 bytes, and the store keeps at most 6000000.',
    });
    expect(await ids()).toEqual([draft]);
  });

  test('counts what came of uploads that run at once, until they end', async () => {
    const { store, create, ids, retention } = await openTestStore({
      settings: { MAX_BYTES: '6000000' },
    });
    const held = await create({ images: [image] });
    await store.hold(held, 'Evidence.');
    const first = await retention.admission.admitUpload(3_000_000);
    await retention.admission.state();
    // What was only announced keeps nobody else out.
    (await retention.admission.admitUpload(3_000_000)).end();
    await first.written(3_000_000);
    expect(await failure(retention.admission.admitUpload(3_000_000))).toMatchObject({
      code: 'full',
    });
    first.end();
    await expect
      .poll(() => failure(retention.admission.admitUpload(3_000_000)), patiently)
      .toBe(undefined);
    expect(await ids()).toEqual([held]);
  });

  test('counts an upload as large as it came, once', async () => {
    const { store, create, retention } = await openTestStore({
      settings: { MAX_BYTES: '6000000' },
    });
    await store.hold(await create({ images: [image] }), 'Evidence.');
    const fits = await retention.admission.admitUpload(4_000_000);
    expect(await failure(fits.written(4_000_000))).toBe(undefined);
    fits.end();
    const grows = await retention.admission.admitUpload(undefined);
    expect(await failure(grows.written(5_950_000))).toMatchObject({ code: 'full' });
    grows.end();
  });
});

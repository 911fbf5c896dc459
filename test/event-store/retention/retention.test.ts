// Age: what is removed when, what is spared, and what the ledger says of it.

import { describe, expect, test } from 'vitest';
import { cloudOn, dayMs, hourMs, listed, openTestStore, secondMs } from './test-store.ts';

describe('retention by age', () => {
  test('removes what is older than a fraction of a day, and nothing younger', async () => {
    const { create, clock, retention, ids, reasons } = await openTestStore({
      settings: { RETENTION_DAYS: '0.25' },
    });
    const old = await create();
    clock.advance(hourMs);
    const young = await create();
    clock.advance(5 * hourMs - secondMs);
    await retention.cleanNow();
    expect(await ids()).toEqual([old, young]);
    clock.advance(2 * secondMs);
    await retention.cleanNow();
    expect(await ids()).toEqual([young]);
    expect(await reasons()).toEqual(['age']);
  });

  test('removes drafts too while cloud upload is off', async () => {
    const { create, clock, retention, ids } = await openTestStore();
    await create({ draft: true });
    clock.advance(2 * dayMs);
    await retention.cleanNow();
    expect(await ids()).toEqual([]);
  });

  test('spares drafts and waiting events while cloud upload is on', async () => {
    const { store, create, clock, retention, ids } = await openTestStore({
      settings: { ...cloudOn, DRAFT_AUTO_FINALIZE_SECONDS: '999999' },
    });
    const draft = await create({ draft: true });
    const waiting = await create();
    const uploaded = await create();
    const refused = await create();
    await store.uploaded([uploaded]);
    await store.uploadRefused(refused, 'It was refused with 422.');
    clock.advance(2 * dayMs);
    await retention.cleanNow();
    expect(await ids()).toEqual([draft, waiting]);
  });

  test('never removes what is held, and does once it is released', async () => {
    const { store, create, clock, retention, ids } = await openTestStore();
    const held = await create();
    await create();
    await store.hold(held, 'An accident is being looked into.');
    clock.advance(30 * dayMs);
    await retention.cleanNow();
    expect(await ids()).toEqual([held]);
    await store.release(held);
    await retention.cleanNow();
    expect(await ids()).toEqual([]);
  });

  test('removes more than one batch, with one line in the ledger for each event', async () => {
    const { store, create, clock, retention } = await openTestStore();
    const made = await Promise.all(Array.from({ length: 250 }, () => create()));
    clock.advance(2 * dayMs);
    await retention.cleanNow();
    const { lines } = await store.ledger({ limit: 1_000 });
    expect(lines.map(({ eventId }) => eventId).sort()).toEqual(made.sort());
    expect((await store.usage()).removed).toEqual({ age: 250 });
  });

  test('unlinks the files, and their bytes are free', async () => {
    const { store, files, create, clock, retention } = await openTestStore();
    await create({ images: [new Uint8Array(50_000), new Uint8Array(10)] });
    const before = await store.usage();
    expect(before.fileDiskBytes).toBeGreaterThan(50_000);
    clock.advance(2 * dayMs);
    await retention.cleanNow();
    expect(await listed(files)).toEqual([]);
    expect((await store.usage()).fileDiskBytes).toBe(0);
    expect(await store.filesToUnlink(10)).toEqual([]);
  });

  test('unlinks what a crash between the row and the file left', async () => {
    const first = await openTestStore();
    await first.create({ images: [new Uint8Array(1_000)] });
    const rule = { reason: 'age', before: undefined, sparesUnsent: false, limit: 10 } as const;
    await first.store.remove(rule);
    await first.close();
    const second = await openTestStore({ data: first.data, clock: first.clock });
    await second.retention.cleanNow();
    expect(await listed(second.files)).toEqual([]);
    expect((await second.store.usage()).fileDiskBytes).toBe(0);
  });
});

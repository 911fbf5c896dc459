// At the byte limit: what is refused costs nothing, and what is small is let in beside it.

import { describe, expect, test } from 'vitest';
import { cloudOn, failure, openTestStore, patiently, type TestStore } from './test-store.ts';

const mebibyte = 1024 * 1024;
const settings = { MAX_BYTES: String(6 * mebibyte) };

async function createMany({ create }: TestStore, count: number, draft = false) {
  for (let made = 0; made < count; made += 1) await create({ draft });
}

describe('what cannot fit beside what must stay', () => {
  test('removes nothing where a hold keeps the bytes', async () => {
    const opened = await openTestStore({ settings });
    const { store, create, attach, ids, retention } = opened;
    await createMany(opened, 300);
    const held = await create({ images: [new Uint8Array(3 * mebibyte)] });
    await store.hold(held, 'Evidence.');
    const draft = await create({ draft: true });
    for (const bytes of [3 * mebibyte, 4 * mebibyte]) {
      expect(await failure(attach(draft, new Uint8Array(bytes)))).toMatchObject({ code: 'full' });
      expect(await failure(retention.admission.admit({ bytes }))).toMatchObject({ code: 'full' });
    }
    expect(await ids()).toHaveLength(302);
    expect(await failure(create())).toBe(undefined);
  });

  test('removes nothing where drafts keep them, which cloud upload spares', async () => {
    const opened = await openTestStore({ settings: { ...settings, ...cloudOn } });
    const { store, create, attach, ids } = opened;
    await createMany(opened, 20);
    await store.uploaded(await ids());
    const draft = await create({ draft: true });
    await attach(draft, new Uint8Array(3 * mebibyte));
    expect(await failure(attach(draft, new Uint8Array(4 * mebibyte)))).toMatchObject({
      code: 'full',
    });
    expect(await ids()).toHaveLength(21);
  });

  test('removes no events for the record limit either', async () => {
    const opened = await openTestStore({ settings: { ...settings, MAX_RECORDS: '10' } });
    const { store, create, ids, retention } = opened;
    await store.hold(await create({ images: [new Uint8Array(3 * mebibyte)] }), 'Evidence.');
    await createMany(opened, 9);
    const large = retention.admission.admit({ bytes: 4 * mebibyte });
    expect(await failure(large)).toMatchObject({ code: 'full' });
    expect(await ids()).toHaveLength(10);
  });

  test('is taken in once the hold is released', async () => {
    const { store, create, attach, ids, reasons } = await openTestStore({ settings });
    const held = await create({ images: [new Uint8Array(3 * mebibyte)] });
    await store.hold(held, 'Evidence.');
    const draft = await create({ draft: true });
    const large = new Uint8Array(4 * mebibyte);
    expect(await failure(attach(draft, large))).toMatchObject({ code: 'full' });
    await store.release(held);
    await expect.poll(() => failure(attach(draft, large)), patiently).toBe(undefined);
    expect(await ids()).toEqual([draft]);
    expect(await reasons()).toEqual(['byte_limit']);
  });
});

describe('those that wait at once', () => {
  const image = new Uint8Array(100_000);

  test('are let in beside one that cannot fit', async () => {
    const { store, create, ids, retention } = await openTestStore({ settings });
    const held = await create({ images: [new Uint8Array(3 * mebibyte)] });
    await store.hold(held, 'Evidence.');
    for (let count = 0; count < 60; count += 1) await create({ images: [image] });
    const large = Array.from({ length: 8 }, () =>
      failure(retention.admission.admitUpload(5_000_000)),
    );
    const small = Array.from({ length: 8 }, () => failure(create({ images: [image] })));
    expect(await Promise.all(small)).toEqual(Array(8).fill(undefined));
    for (const thrown of await Promise.all(large)) expect(thrown).toMatchObject({ code: 'full' });
    const left = await ids();
    expect(left).toContain(held);
    expect(left.length).toBeGreaterThan(15);
  });

  test('are let in one by one where there is no room for all of them', async () => {
    const { create, ids } = await openTestStore({ settings: { MAX_BYTES: '3000000' } });
    for (let count = 0; count < 30; count += 1) await create({ images: [image] });
    const creates = Array.from({ length: 32 }, () => failure(create({ images: [image] })));
    expect(await Promise.all(creates)).toEqual(Array(32).fill(undefined));
    expect((await ids()).length).toBeGreaterThan(20);
  });
});

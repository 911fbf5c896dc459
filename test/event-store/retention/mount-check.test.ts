// Files that cannot be looked at: a few end no removal, most of them end all.

import { rm, symlink, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { pathOfFile } from '../../fixtures/event-store.ts';
import { dayMs, failure, listed, openTestStore, patiently } from './test-store.ts';

const image = new Uint8Array(1_000);
const ofFive = { MAX_RECORDS: '5' };

describe('files that cannot be looked at', () => {
  test('one of the oldest event ends no removal, neither at a limit nor by age', async () => {
    const { create, clock, data, files, ids, retention } = await openTestStore({
      settings: ofFive,
    });
    for (let count = 0; count < 5; count += 1) await create({ images: [image] });
    const [oldest = ''] = [...(await listed(files))].sort();
    await makeUnreadable(data, oldest);
    expect(await failure(files.size(oldest))).toMatchObject({ code: 'internal' });
    for (let count = 0; count < 3; count += 1) await create({ images: [image] });
    expect(await ids()).toHaveLength(5);
    const [next = ''] = [...(await listed(files))].sort();
    await makeUnreadable(data, next);
    await retention.cleanNow();
    clock.advance(2 * dayMs);
    await retention.cleanNow();
    expect(await ids()).toEqual([]);
    expect(retention.health()).toEqual([]);
  });

  test('half of them are passed over; of the others most are there', async () => {
    const { create, data, files, ids } = await openTestStore({ settings: { MAX_RECORDS: '4' } });
    for (let count = 0; count < 4; count += 1) await create({ images: [image] });
    for (const id of (await listed(files)).slice(0, 2)) await makeUnreadable(data, id);
    await create();
    expect(await ids()).toHaveLength(4);
  });

  test('most of them end removal: said until they can be looked at', async () => {
    const { create, clock, data, files, ids, retention } = await openTestStore({
      settings: ofFive,
    });
    for (let count = 0; count < 5; count += 1) await create({ images: [image] });
    const kept = await ids();
    const unreadable = (await listed(files)).slice(0, 3);
    for (const id of unreadable) await makeUnreadable(data, id);
    const words = 'Of 5 files that were looked for, 3 cannot be looked at: is their disk failing?';
    expect(await failure(create())).toMatchObject({ code: 'full', message: words });
    await retention.cleanNow();
    clock.advance(2 * dayMs);
    await retention.cleanNow();
    expect(await ids()).toEqual(kept);
    expect(retention.health()).toEqual([words]);
    expect(retention.refusals()).toContain(words);
    for (const id of unreadable) {
      await rm(pathOfFile(data, id));
      await writeFile(pathOfFile(data, id), image);
    }
    await expect.poll(() => create().catch(() => undefined), patiently).toBeDefined();
    await expect.poll(() => retention.health(), patiently).toEqual([]);
  });

  test('do not hide that most of the others are gone', async () => {
    const { create, data, files, ids } = await openTestStore({ settings: ofFive });
    for (let count = 0; count < 5; count += 1) await create({ images: [image] });
    const kept = await ids();
    const [first = '', second = '', third = '', fourth = ''] = await listed(files);
    for (const id of [first, second]) await makeUnreadable(data, id);
    for (const id of [third, fourth]) await rm(pathOfFile(data, id));
    expect(await failure(create())).toMatchObject({
      code: 'full',
      message: 'Of 3 files that were looked for, 2 are gone: is the disk of the files mounted?',
    });
    expect(await ids()).toEqual(kept);
  });
});

/** A link that leads to itself fails each look, as a bad block does. */
async function makeUnreadable(data: string, id: string): Promise<void> {
  const path = pathOfFile(data, id);
  await rm(path);
  await symlink(path, path);
}

// Files that cannot be unlinked, a folder of files that is gone, a clock file that cannot be read.

import { rmSync } from 'node:fs';
import { mkdir, rename, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { newFileId } from '../../../src/event-store/ids.ts';
import { pathOfFile } from '../../fixtures/event-store.ts';
import { cloudOn, dayMs, failure, hourMs, listed, openTestStore, patiently } from './test-store.ts';

const image = new Uint8Array(1_000);

describe('a file that cannot be unlinked', () => {
  test('is passed over, and reported as one problem', async () => {
    const { create, clock, retention, files, data, store, ids } = await openTestStore();
    for (let count = 0; count < 3; count += 1) await create({ images: [image] });
    const [first = '', second = '', third = ''] = [...(await listed(files))].sort();
    await makeStuck(data, first);
    await makeStuck(data, second);
    await retention.cleanNow();
    clock.advance(2 * dayMs);
    await retention.cleanNow();
    expect(await ids()).toEqual([]);
    expect(await store.filesToUnlink(10)).toEqual([first, second]);
    expect(await listed(files)).not.toContain(third);
    expect(retention.health()).toEqual([
      '2 files of removed events cannot be unlinked; they still take room.',
    ]);
  });

  test('ends no ring: creates go on', async () => {
    const { create, files, data, ids } = await openTestStore({ settings: { MAX_RECORDS: '2' } });
    await create({ images: [image] });
    const [stuck = ''] = await listed(files);
    await makeStuck(data, stuck);
    for (let count = 0; count < 10; count += 1) await create({ images: [image] });
    expect(await ids()).toHaveLength(2);
    expect(await listed(files)).toHaveLength(3);
  });

  test('is one of many: then nothing more is removed', async () => {
    const { create, clock, retention, files, data, ids } = await openTestStore();
    const images = Array.from({ length: 2 }, () => image);
    await Promise.all(Array.from({ length: 80 }, () => create({ images })));
    await Promise.all((await listed(files)).map((id) => makeStuck(data, id)));
    await retention.cleanNow();
    clock.advance(2 * dayMs);
    await retention.cleanNow();
    expect(await ids()).toHaveLength(80 - 64);
    await retention.cleanNow();
    expect(await ids()).toHaveLength(80 - 64);
  });

  test('is one of many, and goes later: then all go on', async () => {
    const { create, files, data, store, retention } = await openTestStore({
      settings: { MAX_RECORDS: '110' },
    });
    await Promise.all(Array.from({ length: 110 }, () => create({ images: [image] })));
    const stuck = await listed(files);
    await Promise.all(stuck.map((id) => makeStuck(data, id)));
    const fill = async () => {
      for (;;) await create({ images: [image] });
    };
    expect(await failure(fill())).toMatchObject({ code: 'full' });
    expect(retention.health().join()).toContain('cannot be unlinked');
    // In one step: those that it tries in between would be passed over for a minute.
    for (const id of stuck) rmSync(pathOfFile(data, id), { recursive: true });
    const isStored = () => create({ images: [image] }).then(Boolean, () => false);
    await expect.poll(isStored, patiently).toBe(true);
    await expect.poll(() => retention.health(), patiently).toEqual([]);
    await expect.poll(() => store.filesToUnlink(1), patiently).toEqual([]);
  });

  test('is one of the strays: the others go', async () => {
    const { files, clock, data, close } = await openTestStore();
    const strays = [newFileId(clock), newFileId(clock), newFileId(clock)];
    for (const id of strays) await files.write(id, image);
    const [stuck = ''] = strays;
    await makeStuck(data, stuck);
    await close();
    clock.advance(hourMs);
    const again = await openTestStore({ data, clock });
    await expect.poll(() => listed(again.files), patiently).toEqual([stuck]);
  });
});

describe('a folder of files that is gone', () => {
  test('ends the ring: creates are refused, and nothing is removed', async () => {
    const { create, ids, data, retention } = await openTestStore({
      settings: { MAX_RECORDS: '5' },
    });
    for (let count = 0; count < 5; count += 1) await create({ images: [image] });
    const kept = await ids();
    await rename(join(data, 'files'), join(data, 'elsewhere'));
    await mkdir(join(data, 'files/incoming'), { recursive: true });
    const words = 'Of 5 files that were looked for, 5 are gone: is the disk of the files mounted?';
    expect(await failure(create())).toMatchObject({ code: 'full', message: words });
    retention.admission.diskWasFull();
    await retention.cleanNow();
    expect(await ids()).toEqual(kept);
    expect(retention.health()).toEqual([words]);
    await rm(join(data, 'files'), { recursive: true });
    await rename(join(data, 'elsewhere'), join(data, 'files'));
    await expect.poll(() => create().catch(() => undefined), patiently).toBeDefined();
    expect(await ids()).toHaveLength(5);
    await expect.poll(() => retention.health(), patiently).toEqual([]);
  });

  test('ends making room ahead', async () => {
    const { create, ids, data } = await openTestStore({ settings: { MAX_RECORDS: '400' } });
    await Promise.all(Array.from({ length: 300 }, () => create({ images: [image] })));
    await rename(join(data, 'files'), join(data, 'elsewhere'));
    await mkdir(join(data, 'files/incoming'), { recursive: true });
    for (let count = 0; count < 100; count += 1) await create();
    expect(await failure(create())).toMatchObject({ code: 'full' });
    expect(await ids()).toHaveLength(400);
  });
});

test('a clock file that cannot be read ends the sweeps only for as long', async () => {
  const first = await openTestStore();
  await first.close();
  const { data, clock } = first;
  await rm(join(data, 'clock.json'), { force: true });
  await mkdir(join(data, 'clock.json'));
  const settings = { ...cloudOn, DRAFT_SWEEP_SECONDS: '0.1', CLEANUP_SECONDS: '0.1' };
  const { create, store, retention } = await openTestStore({ data, clock, settings });
  const draft = await create({ draft: true });
  clock.advance(2 * hourMs);
  await expect
    .poll(() => retention.health(), patiently)
    .toContain('The draft sweep: Something failed inside Fovea.');
  await rmdir(join(data, 'clock.json'));
  clock.advance(2 * hourMs);
  await expect.poll(() => store.get(draft), patiently).toMatchObject({ draft: false });
  await expect.poll(() => retention.health(), patiently).toEqual([]);
});

/** A folder with something in it cannot be unlinked, by nobody. */
async function makeStuck(data: string, id: string): Promise<void> {
  const path = pathOfFile(data, id);
  await rm(path);
  await mkdir(join(path, 'something'), { recursive: true });
}

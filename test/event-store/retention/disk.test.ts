// The disk: the reserve, a disk that fills up, and figures that agree with it.

import { execFile } from 'node:child_process';
import { closeSync, openSync, writeSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { FoveaError } from '../../../src/errors.ts';
import { BallastFile } from '../../../src/event-store/retention/ballast-file.ts';
import { openPolicy } from '../../../src/event-store/retention/retention-policy.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import { testSettings } from './test-settings.ts';
import { cloudOn, dayMs, openTestStore, patiently, type TestStore } from './test-store.ts';

const run = promisify(execFile);
const mebibyte = 1024 * 1024;

describe('the reserve', () => {
  test('is made at the first start, of real bytes', async () => {
    const { data, retention } = await openTestStore({ settings: { RESERVE_BYTES: '3000001' } });
    await expect.poll(() => sizeOf(join(data, 'reserve')), patiently).toBe(3_000_001);
    const { blocks } = await stat(join(data, 'reserve'));
    expect(blocks * 512).toBeGreaterThanOrEqual(3_000_001);
    expect((await retention.admission.state()).ballastBytes).toBe(blocks * 512);
  });

  test('follows the settings at a later start', async () => {
    const { data, close } = await openTestStore({ settings: { RESERVE_BYTES: '200000' } });
    await expect.poll(() => sizeOf(join(data, 'reserve')), patiently).toBe(200_000);
    await close();
    const second = await openTestStore({ data, settings: { RESERVE_BYTES: '100000' } });
    await expect.poll(() => sizeOf(join(data, 'reserve')), patiently).toBe(100_000);
    await second.close();
    await openTestStore({ data });
    await expect.poll(() => sizeOf(join(data, 'reserve')), patiently).toBe(0);
  });

  test('is not made any more once it was stopped', async () => {
    const data = await temporaryFolder();
    const settings = testSettings({ RESERVE_BYTES: '200000' });
    const ballast = new BallastFile(data, await openPolicy(data, settings));
    await ballast.create();
    ballast.stop();
    await ballast.create();
    expect(await sizeOf(join(data, 'reserve'))).toBe(200_000);
    await ballast.release();
    await ballast.create();
    expect(await ballast.heldBytes()).toBe(0);
  });

  test('nothing is taken in where the disk could not hold it twice', async () => {
    const { create, retention, data } = await openTestStore({
      settings: { RESERVE_BYTES: '900000000000000' },
    });
    await expect(create()).rejects.toThrow('bytes free and must keep 1800000000000000');
    expect(retention.health()).toHaveLength(1);
    expect(await sizeOf(join(data, 'reserve'))).toBe(0);
  });
});

describe('usage', () => {
  test('agrees with the blocks on the disk within 1 %, before and after removals', async () => {
    const { create, retention, data, clock } = await openTestStore({
      settings: { MAX_BYTES: '1000000000' },
    });
    const image = new Uint8Array(100_000).fill(7);
    const fill = async () => {
      await Promise.all(Array.from({ length: 100 }, () => create({ images: [image, image] })));
    };
    await fill();
    await expectAgreement(retention, data);
    clock.advance(2 * dayMs);
    await fill();
    await retention.cleanNow();
    await expectAgreement(retention, data);
    clock.advance(2 * dayMs);
    await retention.cleanNow();
    const { bytesUsed } = await retention.admission.state();
    expect(Math.abs(bytesUsed - (await blockBytes(data)))).toBeLessThan(200_000);
  });
});

const isRoot = process.getuid?.() === 0;

describe.skipIf(!isRoot)('a full disk (needs root for a tmpfs)', () => {
  const settings = { RESERVE_BYTES: String(2 * mebibyte) };
  const image = new Uint8Array(200_000);

  test('makes room by removing the oldest, and keeps the reserve', async () => {
    const { data } = await smallDisk();
    const { create, ids, reasons } = await openTestStore({ data, settings });
    const made: string[] = [];
    const large = new Uint8Array(400_000);
    for (let count = 0; count < 100; count += 1) made.push(await create({ images: [large] }));
    const left = await ids();
    expect(left.length).toBeGreaterThan(20);
    expect(left.length).toBeLessThan(90);
    expect(left).toEqual(made.slice(-left.length));
    expect(await reasons()).toEqual(Array(100 - left.length).fill('disk_full'));
    await expect.poll(() => sizeOf(join(data, 'reserve')), patiently).toBe(2 * mebibyte);
  });

  test('refuses writes while nothing may be removed, and recovers when space comes back', async () => {
    const { data, fill, free } = await smallDisk();
    const parts = await openTestStore({ data, settings: { ...settings, ...cloudOn } });
    const { create, ids, retention, logLines, store } = parts;
    const event = await create({ images: [image] });
    await expect.poll(() => sizeOf(join(data, 'reserve')), patiently).toBe(2 * mebibyte);
    fill();
    retention.admission.diskWasFull();
    await expect(create()).rejects.toThrow(FoveaError);
    await expect.poll(() => sizeOf(join(data, 'reserve')), patiently).toBe(0);
    expect(await ids()).toEqual([event]);
    fill();
    await expect(create()).rejects.toMatchObject({ code: 'full', retryAfterSeconds: 5 });
    expect((await retention.admission.state()).blocked).toBeDefined();
    expect((await store.get(event))?.images).toHaveLength(1);
    await free();
    await expect.poll(() => succeeds(create), patiently).toBe(true);
    await expect.poll(() => sizeOf(join(data, 'reserve')), patiently).toBe(2 * mebibyte);
    expect(logLines.filter((line) => line.includes('Writes are refused now.'))).toHaveLength(1);
    expect(logLines.filter((line) => line.includes('There is room again'))).toHaveLength(1);
  });

  test('removes no more than it gains by, when others take the space', async () => {
    const { data, fill } = await smallDisk();
    const parts = await openTestStore({ data, settings });
    for (let count = 0; count < 40; count += 1) await parts.create({ images: [image] });
    await expect.poll(() => sizeOf(join(data, 'reserve')), patiently).toBe(2 * mebibyte);
    fill();
    await expect.poll(() => succeeds(parts.create), patiently).toBe(true);
    const { removed } = await parts.store.usage();
    // Four mebibytes are enough for the reserve and as much again.
    expect(removed.disk_full).toBeGreaterThan(0);
    expect(removed.disk_full).toBeLessThan(35);
  });
});

/** A tmpfs of 32 MiB, and a way to take all of it. */
async function smallDisk() {
  const folder = await mkdtemp(join(tmpdir(), 'fovea-disk-'));
  await run('mount', ['-t', 'tmpfs', '-o', 'size=32m', 'tmpfs', folder]);
  onTestFinished(async () => {
    await run('umount', ['-l', folder]);
    await rm(folder, { recursive: true });
  });
  const ballast = join(folder, 'ballast');
  return {
    data: join(folder, 'data'),
    // At one go: what the store gives up meanwhile is not for the ballast.
    fill: () => {
      const file = openSync(ballast, 'a');
      const piece = new Uint8Array(4096);
      try {
        while (writeSync(file, piece) > 0);
      } catch {
        // Full.
      }
      closeSync(file);
    },
    free: () => rm(ballast),
  };
}

async function succeeds(work: () => Promise<unknown>): Promise<boolean> {
  return work().then(
    () => true,
    () => false,
  );
}

async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}

async function expectAgreement({ admission }: TestStore['retention'], data: string): Promise<void> {
  const { bytesUsed } = await admission.state();
  const real = await blockBytes(data);
  expect(Math.abs(bytesUsed - real) / real).toBeLessThan(0.01);
}

/** Of all files and folders, the shared memory of the database's log left out: it is memory. */
async function blockBytes(data: string): Promise<number> {
  const { stdout } = await run('du', ['--block-size=1', '-s', '--exclude=events.db-shm', data]);
  return Number.parseInt(stdout, 10);
}

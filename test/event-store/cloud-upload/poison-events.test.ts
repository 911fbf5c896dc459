// What could keep the uploader busy or waiting for good: answers that nobody can use, rows that do
// not change, a stop amid a backlog, a long wait that somebody wants to cut short.

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { startTestPlatform, type TestPlatform } from '../../fixtures/platform.ts';
import {
  answer,
  closeDevices,
  cloudIds,
  openDevice,
  openLine,
  paths,
  silence,
  until,
} from './device-and-cloud.ts';

let platform: TestPlatform;

beforeAll(async () => {
  platform = await startTestPlatform();
});

afterAll(async () => {
  await closeDevices();
  await platform.close();
});

describe('a source that no event may name', () => {
  const tooLong = 'x'.repeat(257);

  it.each([
    ['too long', tooLong],
    ['empty', ''],
  ])('is an unclear answer, which is waited out and not kept: %s', async (_, source) => {
    const device = await openDevice();
    const id = await device.addWithImage(`source ${device.useCase}`);
    const line = await openLine(platform);
    line.behave(({ path }) =>
      path === paths.image ? answer(200, { success: true, sourceId: source }) : undefined,
    );
    const uploader = device.upload(line.url);
    await until(() => uploader.state().lastError !== undefined);
    expect(uploader.state().lastError).toBe(
      'The cloud answers something else than its contract says (status 200).',
    );
    expect((await device.get(id)).upload).toBe('waiting');
    expect((await device.store.images(id)).map(({ sourceId }) => sourceId)).toEqual([undefined]);
    line.behave(() => undefined);
    await device.drained();
    expect(cloudIds(platform, device.useCase)).toEqual([id]);
  });

  it('sets the event aside where it is on record', async () => {
    const device = await openDevice();
    const poison = await device.addWithImage(`on record ${device.useCase}`);
    const fine = await device.add();
    const [image] = await device.store.images(poison);
    await device.store.imageUploaded(image?.id ?? '', tooLong);
    device.upload(platform.url);
    await device.drained();
    expect(cloudIds(platform, device.useCase)).toEqual([fine]);
    const refused = await device.get(poison);
    expect(refused.upload).toBe('refused');
    expect(refused.uploadError).toMatch(/^images\[0\]\.sourceId: /);
  });
});

it('waits where the oldest event does not leave the queue', async () => {
  const device = await openDevice({ isNew: true });
  const id = await device.add({ solution: undefined });
  const database = new DatabaseSync(join(device.data, 'events.db'), { timeout: 5_000 });
  const ignore = 'BEFORE UPDATE OF upload ON events BEGIN SELECT RAISE(IGNORE); END';
  database.exec(`CREATE TRIGGER stuck ${ignore}`);
  const uploader = device.upload(platform.url);
  await until(() => uploader.state().lastError !== undefined);
  expect(uploader.state().lastError).toBe(
    'The oldest event still waits, although it was dealt with.',
  );
  expect((await device.get(id)).upload).toBe('waiting');
  database.exec('DROP TRIGGER stuck');
  database.close();
  await until(async () => (await device.get(id)).upload === 'refused');
});

it('stops amid a backlog of which nothing is sent', async () => {
  const device = await openDevice();
  const ids: string[] = [];
  for (let n = 0; n < 40; n += 1) ids.push(await device.add({ solution: undefined }));
  const { refused } = await device.store.usage();
  await device.upload(platform.url).stop();
  expect((await device.store.waiting(0, 100)).map(({ id }) => id)).toEqual(ids);
  expect((await device.store.usage()).refused).toBe(refused);
});

describe('a wait after a failure', () => {
  it('is cut short by hand, not by new events', async () => {
    const device = await openDevice();
    const line = await openLine(platform);
    const id = await device.add();
    line.behave((_sent, n) =>
      n === 0 ? answer(429, { error: 'later' }, { 'retry-after': '86400' }) : undefined,
    );
    const uploader = device.upload(line.url);
    await until(() => uploader.state().nextAttemptAt !== undefined);
    uploader.wake();
    await delay(100);
    expect(line.sent.length).toBe(1);
    uploader.retry();
    await device.drained();
    expect(cloudIds(platform, device.useCase)).toEqual([id]);
    await until(() => uploader.state().nextAttemptAt === undefined);
  });

  it('is left out where somebody asked during the attempt', async () => {
    const device = await openDevice();
    const line = await openLine(platform);
    const id = await device.add();
    line.behave((_sent, n) => (n === 0 ? silence : undefined));
    const uploader = device.upload(line.url, {
      timeoutMs: 300,
      retryDelayMs: { min: 2_000_000_000, max: 2_000_000_000 },
    });
    await until(() => line.sent.length === 1);
    uploader.retry();
    await device.drained();
    expect(cloudIds(platform, device.useCase)).toEqual([id]);
  });

  it('until a date is as long as the cloud means it, by the clock of the cloud', async () => {
    const device = await openDevice();
    const line = await openLine(platform);
    await device.add();
    const dates = {
      date: 'Sat, 21 Nov 2026 12:00:00 GMT',
      'retry-after': 'Sat, 21 Nov 2026 12:01:00 GMT',
    };
    line.behave(() => answer(503, { error: 'away' }, dates));
    const aYearBehind = Date.UTC(2025, 10, 21, 12);
    const clock = { ...systemClock, now: () => aYearBehind };
    const uploader = device.upload(line.url, { clock });
    await until(() => uploader.state().nextAttemptAt !== undefined);
    expect(uploader.state().nextAttemptAt).toBe(aYearBehind + 60_000);
  });

  it('ends with a stop', async () => {
    const device = await openDevice();
    const line = await openLine(platform);
    await device.add();
    line.behave(() => answer(503, { error: 'away' }, { 'retry-after': '86400' }));
    const uploader = device.upload(line.url);
    await until(() => uploader.state().nextAttemptAt !== undefined);
    await uploader.stop();
    uploader.retry();
    await delay(100);
    expect(line.sent.length).toBe(1);
  });
});

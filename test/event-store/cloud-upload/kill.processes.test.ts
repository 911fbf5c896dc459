// The sending process is killed, again and again: every event is in the cloud once, with one
// upload of each image.

import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestPlatform, type TestPlatform } from '../../fixtures/platform.ts';
import { startChild } from '../../storage/child-process.ts';
import {
  closeDevices,
  cloudIds,
  type Device,
  type Line,
  openDevice,
  openLine,
  paths,
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

async function startSender({ data }: Device, { url }: Line) {
  const child = startChild('../../event-store/cloud-upload/processes/send.ts', data, url);
  await child.says('sending');
  return child;
}

async function isDrained({ store }: Device): Promise<boolean> {
  return (await store.usage()).waiting === 0;
}

it.each([
  ['before the cloud has the event', false],
  ['after the cloud has the event, before its answer', true],
])('killed between image and event: %s', async (_, passes) => {
  const device = await openDevice();
  const line = await openLine(platform);
  const id = await device.addWithImage(`killed ${device.useCase}`);
  let isThere = false;
  line.behave(({ path }) => {
    if (path === paths.image) return undefined;
    return async ({ pass }) => {
      if (passes) await pass();
      isThere = true;
    };
  });
  const sender = await startSender(device, line);
  await until(() => isThere);
  await sender.kill();
  expect(cloudIds(platform, device.useCase)).toEqual(passes ? [id] : []);
  line.behave(() => undefined);
  device.upload(line.url);
  await device.drained();
  expect(cloudIds(platform, device.useCase)).toEqual([id]);
  expect([line.count(paths.image), line.count(paths.event)]).toEqual([1, 2]);
});

// A busy machine may take seconds to start a process.
it('killed at any moment', { timeout: 120_000 }, async () => {
  const device = await openDevice();
  const line = await openLine(platform);
  const ids: string[] = [];
  for (let n = 0; n < 40; n += 1) ids.push(await device.addWithImage(`${n} ${device.useCase}`));
  const rounds = 3;
  for (let round = 0; round < rounds; round += 1) {
    const enough = line.sent.length + 1 + randomInt(12);
    const sender = await startSender(device, line);
    await until(async () => line.sent.length >= enough || (await isDrained(device)));
    await sender.kill();
  }
  device.upload(line.url);
  await device.drained();
  expect(cloudIds(platform, device.useCase)).toEqual(ids);
  // At a kill, as many images as are on their way at once may be in the cloud and not on record.
  expect(line.count(paths.image)).toBeLessThanOrEqual(ids.length + rounds * 4);
});

// Waiting events that are large on the device: few of them are in memory at once, and those behind
// them get their turn.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { startTestPlatform, type TestPlatform } from '../../fixtures/platform.ts';
import { noImage } from '../store/new-events.ts';
import {
  answer,
  closeDevices,
  cloudIds,
  type Device,
  openDevice,
  openLine,
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

/** An event with so many megabytes that the cloud has no place for. */
function addLarge(device: Device, megabytes: number): Promise<string> {
  const text = 'x'.repeat(megabytes * 1024 * 1024);
  return device.add({ images: [{ ...noImage, metadata: { text } }] });
}

it('are taken from the store in pages of bounded size, of one event at least', async () => {
  const device = await openDevice({ isNew: true });
  const ids: string[] = [];
  for (const megabytes of [1.75, 1.75, 1.75, 5, 0.25, 0.25])
    ids.push(await addLarge(device, megabytes));
  const pages: (readonly string[])[] = [];
  let after = 0;
  for (;;) {
    const page = await device.store.waiting(after, 16);
    const last = page.at(-1);
    if (last === undefined) break;
    pages.push(page.map(({ id }) => id));
    after = last.arrival;
  }
  expect(pages).toEqual([ids.slice(0, 2), ids.slice(2, 3), ids.slice(3, 4), ids.slice(4)]);
  const line = await openLine(platform);
  device.upload(line.url);
  await device.drained();
  expect(cloudIds(platform, device.useCase)).toEqual(ids);
});

it('keep no others waiting when the cloud fails on a whole page of them', async () => {
  const device = await openDevice({ isNew: true });
  const large = [await addLarge(device, 9), await addLarge(device, 9)];
  const small = [await device.add(), await device.add()];
  const line = await openLine(platform);
  line.behave(({ eventIds }) =>
    eventIds.some((id) => large.includes(id)) ? answer(500, { error: 'oops' }) : undefined,
  );
  let passed = 0;
  const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + passed };
  const uploader = device.upload(line.url, { clock });
  await until(async () => (await device.store.usage()).waiting === 2);
  expect(cloudIds(platform, device.useCase)).toEqual(small);
  const told = () => device.logLines.filter((text) => text.includes('others go first'));
  await until(() => told().length === 2);
  line.behave(() => undefined);
  passed = 300_001;
  uploader.wake();
  await device.drained();
  expect(cloudIds(platform, device.useCase).slice(2).sort()).toEqual(large);
});

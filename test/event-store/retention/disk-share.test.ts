// How much a store keeps where no setting says it.

import { describe, expect, test } from 'vitest';
import { sizedSettings } from '../../../src/event-store/retention/disk-share.ts';
import { readEventStoreSettings } from '../../../src/event-store-config.ts';
import { openTestEventStore } from '../../fixtures/event-store.ts';

const gigabyte = 1_000_000_000;

function bytesMax(variables: Record<string, string>, usedBytes: number, freeBytes: number): number {
  return sizedSettings(readEventStoreSettings(variables), { usedBytes, freeBytes }).bytesMax;
}

describe('a store without MAX_BYTES', () => {
  test('keeps four fifths of its disk', () => {
    expect(bytesMax({}, 0, gigabyte)).toBe(800_000_000);
  });

  test('keeps its limit while it fills', () => {
    expect(bytesMax({}, 0.3 * gigabyte, 0.7 * gigabyte)).toBe(800_000_000);
  });

  test('keeps something on a full disk, which has a bound of its own', () => {
    expect(bytesMax({}, 0, 0)).toBe(67_108_864);
  });
});

test('MAX_BYTES holds on any disk', () => {
  expect(bytesMax({ MAX_BYTES: '5120' }, 0, gigabyte)).toBe(5_120);
  expect(bytesMax({ MAX_BYTES: '5120' }, 0, 0)).toBe(5_120);
});

test('the statistics say what the disk bears', async () => {
  const service = await openTestEventStore({});
  const { body } = await service.get('/v2/stats');
  expect(body).toMatchObject({
    bytes_limit: expect.any(Number),
    records_limit: 10_000_000,
    disk: { free_bytes: expect.any(Number) },
  });
  const { bytes_limit, disk } = JSON.parse(JSON.stringify(body));
  // Others write to the same disk meanwhile.
  expect(bytes_limit / disk.free_bytes).toBeCloseTo(0.8, 1);
  await service.close();
});

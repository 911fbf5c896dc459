// One policy for all processes of a data folder: who sets it, and who follows it.

import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { startEventStore } from '../../../src/event-store/event-store.ts';
import { writePolicy } from '../../../src/event-store/retention/retention-policy.ts';
import { readEventStoreSettings } from '../../../src/event-store-config.ts';
import { createLog } from '../../../src/log.ts';
import { openTestEventStore, plainEvent } from '../../fixtures/event-store.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import { testSettings } from './test-settings.ts';
import { cloudOn, dayMs, failure, openTestStore, patiently, testClock } from './test-store.ts';

describe('the policy of a data folder', () => {
  test('holds for a process with other settings that leads already', async () => {
    const { create, clock, retention, ids, data } = await openTestStore();
    const waiting = [await create(), await create({ draft: true })];
    await writePolicy(data, testSettings({ ...cloudOn, RETENTION_DAYS: '30' }));
    await retention.cleanNow();
    clock.advance(2 * dayMs);
    await retention.cleanNow();
    expect(await ids()).toEqual(waiting);
    await writePolicy(data, testSettings({ RETENTION_DAYS: '30' }));
    await retention.cleanNow();
    expect(await ids()).toEqual(waiting);
    await writePolicy(data, testSettings({ RETENTION_DAYS: '1.5' }));
    await retention.cleanNow();
    expect(await ids()).toEqual([]);
  });

  test('holds for one that starts later', async () => {
    const data = await temporaryFolder();
    await writePolicy(data, testSettings({ RETENTION_DAYS: '30' }));
    const clock = testClock();
    const { create, retention, ids } = await openTestStore({ data, clock });
    const kept = await create();
    clock.advance(29 * dayMs);
    await retention.cleanNow();
    expect(await ids()).toEqual([kept]);
  });

  test('holds when room is made for a create', async () => {
    const { create, ids, data } = await openTestStore({ settings: { MAX_RECORDS: '2' } });
    const waiting = [await create(), await create()];
    await writePolicy(data, testSettings({ ...cloudOn, MAX_RECORDS: '2' }));
    expect(await failure(create())).toMatchObject({ code: 'full' });
    expect(await ids()).toEqual(waiting);
    await writePolicy(data, testSettings({ ...cloudOn, MAX_RECORDS: '3' }));
    await expect.poll(() => create().catch(() => undefined), patiently).toBeDefined();
    expect(await ids()).toHaveLength(3);
  });

  test('is given up with its file: then the settings of the process hold', async () => {
    const data = await temporaryFolder();
    await writePolicy(data, testSettings({ RETENTION_DAYS: '30' }));
    const { create, clock, retention, ids } = await openTestStore({ data });
    await create();
    clock.advance(2 * dayMs);
    await rm(join(data, 'policy.json'));
    await retention.cleanNow();
    expect(await ids()).toEqual([]);
  });

  test.each(['', '{"retentionDays":', '[]', '{"retentionDays":"30","recordsMax":1}'])(
    'that is damaged (%s) lets nothing start, and nothing grow old',
    async (text) => {
      const { create, clock, retention, ids, data, close } = await openTestStore();
      const event = await create();
      await writeFile(join(data, 'policy.json'), text);
      await expect(retention.cleanNow()).rejects.toThrow('policy.json');
      clock.advance(2 * dayMs);
      await expect(retention.cleanNow()).rejects.toThrow('policy.json');
      expect(await ids()).toEqual([event]);
      await expect.poll(() => retention.health().join(), patiently).toContain('policy.json');
      await close();
      await expect(openTestStore({ data, clock })).rejects.toThrow('policy.json');
    },
  );

  test('is set by a service that sets it, and followed by one that does not', async () => {
    const data = await temporaryFolder();
    const setting = await startEventStore({
      data,
      host: '127.0.0.1',
      port: 0,
      setsPolicy: true,
      clock: systemClock,
      settings: readEventStoreSettings({ MAX_RECORDS: '3', RESERVE_BYTES: '0' }),
      log: createLog('error', () => {}),
    });
    await setting.close();
    const service = await openTestEventStore({
      data,
      settings: { MAX_RECORDS: '1' },
      inSources: true,
    });
    try {
      for (let count = 0; count < 4; count += 1) await service.post('/v2/events', plainEvent);
      expect((await service.get('/v2/stats')).body).toMatchObject({
        records: 3,
        records_limit: 3,
      });
      expect((await service.get('/v2/events')).body).toMatchObject({ events: { length: 3 } });
    } finally {
      await service.close();
    }
  });
});

// Runs the conformance suite against real services, one for each profile, and judges the suite
// itself.

import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { testSuite } from '../../conformance/suite-tests.ts';
import {
  type EventStoreProcess,
  startEventStoreProcess,
} from '../../fixtures/event-store-process.ts';
import { createClient } from './client.ts';
import { type Cloud, startCloud } from './cloud.ts';
import { environmentOf, type ProfileName, profileNames } from './profiles.ts';
import { createEventStoreSuite, type Target } from './suite.ts';

const suite = createEventStoreSuite();
const started: EventStoreProcess[] = [];
const clouds: Cloud[] = [];

testSuite({
  suite,
  profileNames,
  startProfile,
  close: async () => {
    await Promise.all([
      ...started.map((service) => service.stop()),
      ...clouds.map((cloud) => cloud.close()),
    ]);
  },
  targetAt: async (url) => ({ url, key: 'a-key', cloud: await openCloud() }),
  passedByAll200: ['/health', '/health needs no key'],
});

test('the suite knows every statement of the document', () => {
  expect(suite.statements.length).toBe(168);
});

async function openCloud(): Promise<Cloud> {
  const cloud = await startCloud();
  clouds.push(cloud);
  return cloud;
}

async function startProfile(name: ProfileName): Promise<Target> {
  const cloud = await openCloud();
  const environment = environmentOf(name, cloud.url);
  const earlier = name === 'earlier' ? { data: await makeEarlierData() } : {};
  const service = await startEventStoreProcess({ environment, ...earlier });
  started.push(service);
  if (name === 'broken') await breakFolders(service.data);
  return { url: service.url, key: environment.API_KEY, cloud };
}

/** A data folder with an event that says of itself that an earlier version wrote it. */
async function makeEarlierData(): Promise<string> {
  const service = await startEventStoreProcess();
  const event = {
    event_schema: 'custom',
    event_data: {},
    inference_timestamp: '2025-01-01T00:00:00Z',
  };
  const client = createClient(service.url);
  await client.send({ method: 'POST', path: '/v2/events', json: event });
  await service.kill('SIGTERM');
  const database = new DatabaseSync(join(service.data, 'events.db'));
  database.exec("UPDATE events SET api_version = 'v1'");
  database.close();
  return service.data;
}

/** An empty file in the place of each folder. */
async function breakFolders(data: string): Promise<void> {
  for (const entry of await readdir(data, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    await rm(join(data, entry.name), { recursive: true });
    await writeFile(join(data, entry.name), '');
  }
}

// Runs the conformance kit against real services, one for each profile, and judges the kit itself.

import { once } from 'node:events';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readStatements } from '../../conformance/statements.ts';
import {
  type EventStoreProcess,
  startEventStoreProcess,
} from '../../fixtures/event-store-process.ts';
import { checks } from './checks/index.ts';
import { createClient } from './client.ts';
import { type Cloud, startCloud } from './cloud.ts';
import { environmentOf, isProfileName, type ProfileName, profiles } from './profiles.ts';
import { type Outcome, runProfile } from './run.ts';

const statements = readStatements('Event Store');
const profileNames = Object.keys(profiles).filter(isProfileName);
const everyCheck = profileNames.flatMap((name) => checks[name]);

// A busy machine takes its time to start all of them.
describe.each(profileNames)('profile %s', { timeout: 120_000 }, (name) => {
  test.each(checks[name].map((check) => [check.name, check] as const))('%s', async (_, check) => {
    const outcome = await outcomes.get(check)?.promise;
    expect(outcome?.check).toBe(check);
    expect(outcome?.failure).toBeUndefined();
  });
});

describe('the kit', () => {
  test('has a check for every statement', () => {
    const proven = new Set<string>(everyCheck.flatMap(({ proves }) => proves));
    expect(statements.filter(({ number }) => !proven.has(number))).toEqual([]);
    expect(statements.length).toBe(162);
  });

  test('has one name for one check', () => {
    const names = everyCheck.map(({ name }) => name);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  test('fails a service that answers 500 to all', async () => {
    expect(await passedBy(500)).toEqual([]);
  });

  test('fails a service that answers 200 to all', async () => {
    expect(await passedBy(200)).toEqual(['/health', '/health needs no key']);
  });
});

const started: EventStoreProcess[] = [];
const clouds: Cloud[] = [];
const outcomes = new Map(
  everyCheck.map((check) => [check, Promise.withResolvers<Outcome>()] as const),
);
let runs: readonly Promise<void>[] = [];

// All at once: most of the time of a profile is waiting.
beforeAll(() => {
  runs = profileNames.map((name) => startProfile(name).catch((thrown) => failAll(name, thrown)));
});

afterAll(async () => {
  await Promise.all(runs);
  await Promise.all([
    ...started.map((service) => service.stop()),
    ...clouds.map((cloud) => cloud.close()),
  ]);
});

async function startProfile(name: ProfileName): Promise<void> {
  const cloud = await startCloud();
  clouds.push(cloud);
  const environment = environmentOf(name, cloud.url);
  const earlier = name === 'earlier' ? { data: await makeEarlierData() } : {};
  const service = await startEventStoreProcess({ environment, ...earlier });
  started.push(service);
  if (name === 'broken') await breakFolders(service.data);
  const target = { url: service.url, key: environment.API_KEY, cloud };
  await runProfile(name, target, (outcome) => outcomes.get(outcome.check)?.resolve(outcome));
}

/** A service that does not start fails the tests of its profile. */
function failAll(name: ProfileName, thrown: unknown): void {
  for (const check of checks[name])
    outcomes.get(check)?.resolve({ check, failure: String(thrown) });
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

/** Names of the checks that a service passes which gives this answer to everything. */
async function passedBy(status: number): Promise<readonly string[]> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const cloud = await startCloud();
  clouds.push(cloud);
  const target = { url: `http://127.0.0.1:${port}`, key: 'a-key', cloud };
  const passed: string[] = [];
  const note = ({ check, failure }: Outcome) => {
    if (failure === undefined) passed.push(check.name);
  };
  for (const name of profileNames) await runProfile(name, target, note);
  server.closeAllConnections();
  server.close();
  return passed;
}

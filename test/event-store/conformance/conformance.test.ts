// Runs the conformance kit against real services, one for each profile, and judges the kit itself.

import { once } from 'node:events';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type EventStoreProcess,
  startEventStoreProcess,
} from '../../fixtures/event-store-process.ts';
import type { Check } from './check.ts';
import { checks } from './checks/index.ts';
import { type Cloud, startCloud } from './cloud.ts';
import { environmentOf, isProfileName, type ProfileName, profiles } from './profiles.ts';
import { type Outcome, runChecks } from './run.ts';
import { allSentences } from './sentences.ts';

/** There is no version of the service before 2, so no data of one. */
const notRun: readonly ProfileName[] = ['earlier'];
const profileNames = Object.keys(profiles).filter(isProfileName);
const running = profileNames.filter((name) => !notRun.includes(name));
const everyCheck = profileNames.flatMap((name) => checks[name]);

describe.each(running)('profile %s', (name) => {
  test.each(checks[name].map((check) => [check.name, check] as const))('%s', async (_, check) => {
    const outcomes = await outcomesOf(name);
    expect(outcomes.get(check)?.failure).toBeUndefined();
    expect(outcomes.has(check)).toBe(true);
  });
});

describe('the kit', () => {
  test('has a check for every sentence', () => {
    const proven = new Set<string>(everyCheck.flatMap(({ proves }) => proves));
    expect(allSentences.filter(({ number }) => !proven.has(number))).toEqual([]);
    expect(allSentences.length).toBe(162);
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
const runs = new Map<ProfileName, Promise<ReadonlyMap<Check, Outcome>>>();

// All at once: most of the time of a profile is waiting.
beforeAll(() => {
  for (const name of running) {
    const run = runProfile(name);
    // A service that does not start fails the tests of its profile, which ask for it later.
    run.catch(() => undefined);
    runs.set(name, run);
  }
});

afterAll(async () => {
  await Promise.allSettled(runs.values());
  await Promise.all([
    ...started.map((service) => service.stop()),
    ...clouds.map((cloud) => cloud.close()),
  ]);
});

function outcomesOf(name: ProfileName): Promise<ReadonlyMap<Check, Outcome>> {
  return runs.get(name) ?? Promise.resolve(new Map());
}

async function runProfile(name: ProfileName): Promise<ReadonlyMap<Check, Outcome>> {
  const cloud = await startCloud();
  clouds.push(cloud);
  const environment = environmentOf(name, cloud.url);
  const service = await startEventStoreProcess({ environment });
  started.push(service);
  if (name === 'broken') await breakFolders(service.data);
  const target = { url: service.url, key: environment.API_KEY, cloud };
  const outcomes = await runChecks(checks[name], target, () => undefined);
  return new Map(outcomes.map((outcome) => [outcome.check, outcome]));
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
  const outcomes = await runChecks(everyCheck, target, () => undefined);
  server.closeAllConnections();
  server.close();
  return outcomes.filter(({ failure }) => failure === undefined).map(({ check }) => check.name);
}

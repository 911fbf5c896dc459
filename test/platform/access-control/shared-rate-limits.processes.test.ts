// Two platforms on one PostgreSQL database count calls and refused keys together.

import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startTestPlatform, type TestPlatform } from '../../fixtures/platform.ts';
import { hasPostgres, type PostgresServer, startPostgres } from '../../fixtures/postgres-server.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import { messageOf, send } from '../api-key-requests.ts';

let server: PostgresServer;

beforeAll(async () => {
  if (hasPostgres) server = await startPostgres();
}, 60_000);

afterAll(async () => server?.stop());

const callsMax = 40;

async function startTwo() {
  const databaseUrl = await server.database();
  const data = await temporaryFolder();
  const start = async () => {
    const platform = await startTestPlatform({ data, databaseUrl, rateLimit: callsMax });
    onTestFinished(() => platform.close());
    return platform;
  };
  return [await start(), await start()] as const;
}

const statusOf = async (platform: TestPlatform, key: string) =>
  (await send(platform, key, 'GET /')).status;

/** One call after the other, and some rest, until one is refused for being too many. */
async function callsUntilTold(platform: TestPlatform, key: string, most: number): Promise<number> {
  for (let calls = 1; calls <= most; calls += 1) {
    if ((await statusOf(platform, key)) === 429) return calls;
    await delay(250);
  }
  return Number.POSITIVE_INFINITY;
}

describe.skipIf(!hasPostgres)('platforms on one database', { timeout: 60_000 }, () => {
  test('count the calls of a key together', async () => {
    const [one, two] = await startTwo();
    for (let call = 1; call <= callsMax; call += 1) {
      expect(await statusOf(one, one.key)).toBe(200);
    }
    expect(await statusOf(one, one.key)).toBe(429);
    // By itself the other one would answer as many.
    expect(await callsUntilTold(two, two.key, callsMax - 1)).toBeLessThan(callsMax);
    const refused = await send(two, two.key, 'GET /');
    expect(messageOf(refused)).toBe(`More than ${callsMax} calls came within a minute.`);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  test('count refused keys together, and answer right ones', async () => {
    const [one, two] = await startTwo();
    for (let call = 1; call <= 60; call += 1) expect(await statusOf(one, 'wrong')).toBe(401);
    expect(await statusOf(one, 'wrong')).toBe(429);
    expect(await callsUntilTold(two, 'wrong', 59)).toBeLessThan(60);
    expect(await statusOf(two, two.key)).toBe(200);
  });
});

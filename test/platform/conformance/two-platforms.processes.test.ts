// Runs the conformance suite against two `fovea platform` processes on one database and one data
// folder, each request to another one: what one of them keeps to itself shows here.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunningService } from '../../fixtures/fovea-services.ts';
import { killProcess } from '../../fixtures/kill-process.ts';
import { startPlatformProcess } from '../../fixtures/platform.ts';
import { hasPostgres, type PostgresServer, startPostgres } from '../../fixtures/postgres-server.ts';
import { openRoundRobin, type RoundRobin } from '../../fixtures/round-robin.ts';
import { checks } from './checks/index.ts';
import { platformSuite } from './suite.ts';

describe.skipIf(!hasPostgres)('two platforms in turn (needs initdb)', { timeout: 120_000 }, () => {
  let server: PostgresServer;
  let balancer: RoundRobin;
  let data: string;
  const services: RunningService[] = [];
  const failures = new Map<string, string>();

  beforeAll(async () => {
    server = await startPostgres();
    balancer = await openRoundRobin();
    data = await mkdtemp(join(tmpdir(), 'fovea-two-platforms-'));
    const environment = {
      FOVEA_DATABASE_URL: (await server.database()).reveal(),
      FOVEA_PUBLIC_URL: balancer.url,
    };
    for (let count = 0; count < 2; count += 1) {
      const service = await startPlatformProcess(data, undefined, environment);
      services.push(service);
      balancer.to.push(service.url);
    }
    const target = { url: balancer.url, key: 'a-key-for-tests' };
    await platformSuite.runProfile('default', target, ({ check, failure }) => {
      failures.set(check.name, failure ?? '');
    });
  }, 180_000);

  afterAll(async () => {
    for (const { child } of services) await killProcess(child);
    balancer.close();
    await server.stop();
    await rm(data, { recursive: true, force: true });
  });

  test.each(checks.default.map(({ name }) => name))('%s', (name) => {
    expect(failures.get(name)).toBe('');
  });
});

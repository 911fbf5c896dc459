// What deploy/compose.yaml describes, started from programs of this machine: requests go through
// the proxy with TLS to any of the processes, tasks to the workers, and one process may die.

import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { Client as McpClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { systemClock } from '../../src/clock.ts';
import { search } from '../../src/contract/search.ts';
import { versions } from '../../src/contract/versions.ts';
import type { Client } from '../../src/http-client/client.ts';
import { createClient } from '../../src/http-client/create-client.ts';
import { Secret } from '../../src/secret.ts';
import type { TestApplication } from '../fixtures/authorization-server.ts';
import { runFovea } from '../fixtures/fovea-services.ts';
import { localhostCertificate } from '../fixtures/localhost-certificate.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { signInAt } from '../mcp/http/http-process.ts';
import { createProject, resultOf, upload } from '../platform/labelled-projects.ts';
import { type ComposedServices, isHere, readDeployed, startComposed } from './composed-services.ts';

let services: ComposedServices;
let client: Client;
const trusted = getCACertificates();

describe.skipIf(!isHere)('deploy (needs initdb, Swift and haproxy)', { timeout: 120_000 }, () => {
  beforeAll(async () => {
    setDefaultCACertificates([...trusted, localhostCertificate]);
    services = await startComposed();
    const upstream = async () => ({ url: services.url, credential: new Secret(services.apiKey) });
    client = createClient({
      upstreams: { base: upstream, device: upstream },
      clock: systemClock,
      timeoutMs: 30_000,
    });
  }, 120_000);

  afterAll(async () => {
    await client?.close();
    await services?.close();
    setDefaultCACertificates(trusted);
  }, 60_000);

  test('images come in through the proxy, and workers make a version of them', async () => {
    await createProject(client, 'cells');
    for (let shade = 0; shade < 6; shade += 1) await upload(client, 'cells', shade);
    const input = { workspace: 'acme', project: 'cells', preprocessing: {}, augmentation: {} };
    const { body } = await client.call(versions.versions_generate, input);
    await resultOf(client, String(body.taskId));
    expect(await found()).toBe(6);
    const asked = await Promise.all([1, 2].map((number) => metricsOf(`platform-${number}:8000`)));
    for (const text of asked)
      expect(text).toMatch(/operation="images_upload",status="200"\} [1-9]/);
  });

  test('a person signs in, and an assistant works for them over MCP', async () => {
    const home = await temporaryFolder();
    const run = async (words: readonly string[], input?: string) =>
      (await runFovea(words, { ...services.environment, FOVEA_HOME: home, HOME: home }, input))
        .stdout;
    const person = { name: 'ada', password: 'the password of ada' };
    const account = ['account', 'add', 'ada', '--email', 'ada@example.com', '--workspace', 'acme'];
    await run(account, `${person.password}\n`);
    const redirectUri = 'http://127.0.0.1:8976/callback';
    const added = ['application', 'add', '--name', 'App', '--auth', 'none', '--mcp'];
    const said = await run([...added, '--redirect-uri', redirectUri]);
    const id = /client_id: (\S+)/.exec(said)?.[1] ?? '';
    const application: TestApplication = { id, secret: undefined, auth: 'none', redirectUri };
    const resource = `${services.url}/mcp`;
    const scope = 'openid workspace:read project:read';
    const tokens = await signInAt(services.url, application, person, { scope, resource });
    const requestInit = { headers: { authorization: `Bearer ${tokens.accessToken}` } };
    const mcp = new McpClient({ name: 'test', version: '1' });
    await mcp.connect(new StreamableHTTPClientTransport(new URL(resource), { requestInit }));
    onTestFinished(() => mcp.close());
    const called = await mcp.callTool({ name: 'projects_get', arguments: { project: 'cells' } });
    expect(called.isError ?? false).toBe(false);
    expect(JSON.stringify(called.structuredContent)).toContain('"images":6');
  });

  test('the dashboard asks for what Prometheus reads of each process', async () => {
    const scraped = z.object({
      scrape_configs: z.array(
        z.object({ static_configs: z.array(z.object({ targets: z.array(z.string()) })) }),
      ),
    });
    const { scrape_configs: jobs } = scraped.parse(parse(readDeployed('prometheus.yaml')));
    const targets = jobs.flatMap((job) => job.static_configs).flatMap((some) => some.targets);
    expect(targets).toEqual(['platform-1:8000', 'platform-2:8000', 'http-1:8002', 'http-2:8002']);
    const texts = await Promise.all(targets.map(metricsOf));
    for (const text of texts) expect(text).toContain('fovea_database_reachable 1');
    const named = new Set(texts.join('').match(/^[a-z_]+(?=[ {])/gm));
    const wanted = readDeployed('grafana-dashboard.json').match(/\b(fovea|process)_[a-z_]+\b/g);
    // There while a task waits or runs.
    const always = new Set(wanted?.filter((name) => name !== 'fovea_tasks'));
    expect(always.size).toBeGreaterThan(4);
    expect([...always].filter((name) => !named.has(name))).toEqual([]);
    expect((await fetch(`${services.url}/metrics`)).status).toBe(404);
  });

  test('one platform and one worker may die', async () => {
    await services.member('platform-1').kill();
    await services.member('worker').kill();
    for (let time = 0; time < 6; time += 1) expect(await found()).toBe(6);
    const input = { workspace: 'acme', project: 'cells', preprocessing: {}, augmentation: {} };
    const { body } = await client.call(versions.versions_generate, input);
    await resultOf(client, String(body.taskId));
  });
});

async function found(): Promise<number | undefined> {
  const asked = { workspace: 'acme', query: 'project:cells *' };
  return (await client.call(search.workspace_search, asked)).body.total;
}

async function metricsOf(target: string): Promise<string> {
  const headers = { authorization: `Bearer ${services.metricsToken}` };
  const answer = await fetch(`http://${services.here(target)}/metrics`, { headers });
  expect(answer.status).toBe(200);
  return answer.text();
}

if (!isHere) process.stderr.write('NOT RUN: deploy needs PostgreSQL, Swift and haproxy.\n');

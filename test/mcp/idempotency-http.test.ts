// Idempotency of `fovea http`: all callers share one file, and none is given calls of another.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { systemClock } from '../../src/clock.ts';
import { createLog } from '../../src/log.ts';
import { openIdempotency } from '../../src/mcp/idempotency/idempotency.ts';
import { tool } from '../../src/mcp/tool.ts';
import { startTestMcpHttp } from '../fixtures/mcp-http-server.ts';

/** A server with one tool that counts how often it ran. */
async function counting() {
  const home = await mkdtemp(join(tmpdir(), 'fovea-journal-'));
  const idempotency = await openIdempotency({
    path: join(home, 'journal.sqlite'),
    clock: systemClock,
    log: createLog('error'),
    windowSeconds: 120,
    reconcilerOf: async () => undefined,
  });
  onTestFinished(async () => {
    await idempotency.close();
    await rm(home, { recursive: true, force: true });
  });
  let runs = 0;
  const add = tool({
    name: 'projects_add',
    toolset: 'projects',
    title: 'Add',
    description: 'Adds one.',
    effect: 'adds',
    recoverable: false,
    idempotent: false,
    openWorld: false,
    scope: undefined,
    usesFiles: false,
    input: z.strictObject({ name: z.string() }),
    run: async ({ name }) => {
      runs += 1;
      return { summary: `Added ${name}.`, data: { run: runs } };
    },
  });
  return startTestMcpHttp({ tools: [add], idempotency: async () => idempotency });
}

test('two requests of one person are one call, by whichever client', async () => {
  const server = await counting();
  const add = { name: 'projects_add', arguments: { name: 'a' } };
  const [first, second] = [
    await server.connect(server.grant({ subject: 'ann', clientId: 'one' })),
    await server.connect(server.grant({ subject: 'ann', clientId: 'other' })),
  ];
  expect((await first.callTool(add)).structuredContent).toMatchObject({ run: 1 });
  const again = await second.callTool(add);
  expect(again.structuredContent).toMatchObject({
    run: 1,
    summary: expect.stringContaining('nothing was done again'),
  });
});

test('another person, another workspace: another call', async () => {
  const server = await counting();
  const runOf = async (grant: { subject: string; workspace: string }) => {
    const client = await server.connect(server.grant(grant));
    const add = { name: 'projects_add', arguments: { name: 'a' } };
    return (await client.callTool({ ...add, _meta: { 'fovea/idempotencyKey': 'one' } }))
      .structuredContent;
  };
  expect(await runOf({ subject: 'ann', workspace: 'acme' })).toMatchObject({ run: 1 });
  expect(await runOf({ subject: 'bob', workspace: 'acme' })).toMatchObject({ run: 2 });
  expect(await runOf({ subject: 'ann', workspace: 'globex' })).toMatchObject({ run: 3 });
  expect(await runOf({ subject: 'ann', workspace: 'acme' })).toMatchObject({ run: 1 });
});

// Holds Fovea against all that judges the Model Context Protocol from outside: the conformance
// suites (server at both revisions with the Tasks extension, sign-in as a client, authorization
// server) and the MCP Inspector. npm run conformance -- mcp, with some of these names to choose:
// server client authorization inspector.

import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestAuthorizationServer } from '../../test/fixtures/authorization-server.ts';
import { startConformanceServer } from '../../test/mcp-conformance/server.ts';
import { tryInspector } from './inspector.ts';
import { runSuite, type SuiteRun, say } from './mcp-suite.ts';

/**
 * Of the extension io.modelcontextprotocol/tasks, which the revision of 2026 has beside it. The
 * suite has one more, tasks-status-notifications, which it does not try yet.
 */
const tasks = [
  'tasks-lifecycle',
  'tasks-capability-negotiation',
  'tasks-wire-fields',
  'tasks-request-state-removal',
  'tasks-mrtr-input',
  'tasks-request-headers',
  'tasks-dispatch-and-envelope',
  'tasks-required-task-error',
  'tasks-mrtr-composition',
];

const parts: Readonly<Record<string, () => Promise<boolean>>> = {
  server: tryServer,
  client: tryClient,
  authorization: tryAuthorization,
  inspector: tryInspector,
};

const asked = process.argv.slice(3);
const unknown = asked.filter((name) => !Object.hasOwn(parts, name));
if (unknown.length > 0) {
  const known = Object.keys(parts).join(', ');
  process.stderr.write(`There is no part ${unknown.join(', ')}. The parts: ${known}.\n`);
  process.exit(2);
}
const results = await mkdtemp(join(tmpdir(), 'fovea-conformance-'));
for (const [name, run] of Object.entries(parts)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  if (!(await run())) process.exitCode = 1;
}
await rm(results, { recursive: true, force: true });

/** Our HTTP transport, with the tools that the suite knows by name, at both revisions. */
async function tryServer(): Promise<boolean> {
  const service = await startConformanceServer();
  const words = ['server', '--url', `${service.url}/mcp`, '--requirements'];
  const older = { name: 'server at 2025-11-25', words: [...words, '2025-11-25'] };
  const newer = {
    name: 'server at 2026-07-28',
    words: [...words, '2026-07-28'],
    extensions: tasks,
  };
  try {
    return await runAll([older, newer].map((run) => ({ ...run, hasKnownFailures: true })));
  } finally {
    await service.close();
  }
}

/** Our sign-in, in a client whose other parts are the SDK's. */
function tryClient(): Promise<boolean> {
  const command = `${process.execPath} test/mcp-conformance/client.ts`;
  return runAll(
    ['auth', 'draft', 'backcompat'].map((name) => ({
      name: `client, suite ${name}`,
      words: ['client', '--command', command, '--suite', name],
      hasKnownFailures: true,
    })),
  );
}

/** Our authorization server, with a person who agrees where the suite asks one to. */
async function tryAuthorization(): Promise<boolean> {
  const service = await startTestAuthorizationServer();
  let agreed: Promise<boolean> | undefined;
  const agree = async (address: string) => {
    await fetch(await service.agree(address));
    return true;
  };
  const words = [
    'authorization',
    '--url',
    service.url,
    '--client-id',
    service.applications.public.id,
    '--port',
    String(await freePort()),
  ];
  const onOutput = (text: string) => {
    const [address] = /^http:\S+\/oauth\/authorize\?\S+$/m.exec(text) ?? [];
    if (address !== undefined) agreed ??= agree(address).catch(couldNotAgree);
  };
  try {
    const ok = await runAll([{ name: 'authorization server', words, triesAll: true, onOutput }]);
    return ok && (await agreed) !== false;
  } finally {
    await service.close();
  }
}

async function runAll(runs: readonly SuiteRun[]): Promise<boolean> {
  const ended: boolean[] = [];
  for (const run of runs) ended.push(await runSuite(run, results));
  return ended.every(Boolean);
}

function couldNotAgree(thrown: unknown): boolean {
  say(`The person could not agree: ${String(thrown)}`);
  return false;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((listening) => server.once('listening', listening));
  const address = server.address();
  await new Promise((closed) => server.close(closed));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

// Holds the MCP transport, the sign-in and the authorization server against the conformance suites
// of the Model Context Protocol: npm run conformance [-- server client authorization]. They are
// large, so they are installed beside this on the first run.

import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startTestAuthorizationServer } from '../test/fixtures/authorization-server.ts';
import { startConformanceServer } from '../test/fixtures/conformance-server.ts';

const folder = resolve('test/conformance-mcp');
const suite = join(folder, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
const expected = ['--expected-failures', join(folder, 'expected-failures.yml')];

/** Of the suite's own words, where something failed. */
const outputCharactersMax = 20_000;

const parts = { server: tryServer, client: tryClient, authorization: tryAuthorization };

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !Object.hasOwn(parts, name));
if (unknown.length > 0) {
  const known = Object.keys(parts).join(', ');
  refuse(`There is no suite ${unknown.join(', ')}. The suites: ${known}.`);
}
if (!existsSync(suite)) install();
const results = await mkdtemp(join(tmpdir(), 'fovea-conformance-'));
for (const [name, run] of Object.entries(parts)) {
  if (asked.length === 0 || asked.includes(name)) await run();
}
await rm(results, { recursive: true, force: true });

function install(): void {
  const words = ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund'];
  try {
    execFileSync('npm', [...words, '--loglevel=error'], { cwd: folder, stdio: 'inherit' });
  } catch {
    refuse('DID NOT RUN: the conformance suite could not be installed. Is there a network?');
  }
}

/** Nothing was tried, which is neither a success nor a failure. */
function refuse(why: string): never {
  process.stderr.write(`${why}\n`);
  process.exit(2);
}

/** Our HTTP transport, with the tools that the suite knows by name, at both revisions. */
async function tryServer(): Promise<void> {
  const service = await startConformanceServer();
  const url = `${service.url}/mcp`;
  for (const revision of ['2025-11-25', '2026-07-28']) {
    await report(`server at ${revision}`, [
      ...['server', '--url', url, '--requirements', revision],
      ...expected,
    ]);
  }
  await service.close();
}

/** Our sign-in, in a client whose other parts are the SDK's. */
async function tryClient(): Promise<void> {
  const command = `${process.execPath} test/conformance-mcp/client.ts`;
  for (const name of ['auth', 'draft', 'backcompat']) {
    await report(`client, suite ${name}`, [
      ...['client', '--command', command, '--suite', name],
      ...expected,
    ]);
  }
}

/** Our authorization server, with a person who agrees where the suite asks one to. */
async function tryAuthorization(): Promise<void> {
  const service = await startTestAuthorizationServer();
  let finished: Promise<void> | undefined;
  const agree = async (address: string) => {
    await fetch(await service.agree(address));
  };
  const words = [
    ...['authorization', '--url', service.url, '--client-id', service.applications.public.id],
    ...['--port', String(await freePort())],
  ];
  await report('authorization server', words, (text) => {
    const [address] = /^http:\S+\/oauth\/authorize\?\S+$/m.exec(text) ?? [];
    if (address !== undefined) finished ??= agree(address).catch(fail);
  });
  await finished;
  await service.close();
}

/** Runs one command of the suite. What it could not try counts as failed for what is required. */
async function report(
  name: string,
  words: readonly string[],
  onOutput: (text: string) => void = () => undefined,
): Promise<void> {
  const output = join(results, name.replaceAll(/\W+/g, '-'));
  const { code, text } = await run([...words, '-o', output], onOutput);
  const untried = words.includes('authorization') ? await skippedChecks(output) : [];
  // Each command ends with what it counted: one that does not, or counted nothing, tried nothing.
  const [total = 'no result', passed = '0'] = /^Total: (\d+) passed.*$/m.exec(text) ?? [];
  const ok = code === 0 && passed !== '0' && untried.length === 0;
  say(`${ok ? 'ok' : 'FAILED'}: ${name}: ${total}`);
  for (const [line] of text.matchAll(/^ {2}~ .*$/gm)) say(`${line} (expected, with a reason)`);
  for (const [, scenario] of text.matchAll(/^ {2}✗ (\S+ \(extension\))$/gm)) {
    say(`  - ${scenario}: not required, and Fovea does not have it`);
  }
  for (const check of untried) say(`  not tried: ${check}`);
  if (ok) return;
  say(text.slice(-outputCharactersMax));
  process.exitCode = 1;
}

interface Ended {
  readonly code: number | null;
  readonly text: string;
}

function run(words: readonly string[], onOutput: (text: string) => void): Promise<Ended> {
  const { promise, resolve: done, reject } = Promise.withResolvers<Ended>();
  const child = spawn(process.execPath, [suite, ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
      onOutput(text);
    });
  }
  child.once('error', reject);
  child.once('close', (code) => done({ code, text }));
  return promise;
}

async function skippedChecks(output: string): Promise<readonly string[]> {
  if (!existsSync(output)) return [];
  const names = await readdir(output, { recursive: true });
  const files = names.filter((name) => name.endsWith('checks.json'));
  const lists = await Promise.all(
    files.map(async (name) => JSON.parse(await readFile(join(output, name), 'utf8'))),
  );
  const checks: readonly { id: string; status: string }[] = lists.flat();
  return checks.filter(({ status }) => status === 'SKIPPED').map(({ id }) => id);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((listening) => server.once('listening', listening));
  const address = server.address();
  await new Promise((closed) => server.close(closed));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function fail(thrown: unknown): void {
  say(`The person could not agree: ${String(thrown)}`);
  process.exitCode = 1;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

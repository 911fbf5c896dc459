// Published hosts launch what is under test, by the entry that `fovea setup` writes for them.

import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { parse } from 'smol-toml';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { installPackages } from '../fixtures/install-packages.ts';
import { entryUnderTest, nodeUnderTest } from '../fixtures/under-test.ts';

const run = promisify(execFile);
const packages = resolve('test/hosts/packages');
const areThere = installPackages(packages, 300_000);

/** A command that is no MCP server, and stays. */
const control = [process.execPath, '-e', 'setInterval(() => {}, 1000)'] as const;

describe.skipIf(!areThere)('Gemini CLI', () => {
  it('is connected to Fovea, and not to a program that says nothing', async () => {
    const home = await makeHome('.gemini');
    await setUp(home, 'gemini');
    await host(home, 'gemini', 'mcp', 'add', '--scope', 'user', 'control', ...control);
    const { stdout, stderr } = await host(home, 'gemini', 'mcp', 'list');
    const lines = `${stdout}${stderr}`.split('\n');
    expect(lines.find((line) => line.includes(' fovea: '))).toMatch(/- Connected$/);
    expect(lines.find((line) => line.includes(' control: '))).toMatch(/- Disconnected$/);
  }, 120_000);
});

describe.skipIf(!areThere)('Codex', () => {
  it('reads the entry, which lists the tools as it stands', async () => {
    const home = await makeHome('.codex');
    await setUp(home, 'codex');
    const { stdout } = await host(home, 'codex', 'mcp', 'list', '--json');
    const [{ transport }] = listed.parse(JSON.parse(stdout));
    expect(transport).toMatchObject({ type: 'stdio', args: [entryUnderTest()] });
    expect(await toolsOf(transport, home)).toContain('projects_create');
  }, 60_000);

  it('writes an entry itself, which lists the tools as it stands', async () => {
    const home = await makeHome('.codex');
    const words = ['--env', 'FOVEA_READ_ONLY=1', 'fovea', '--', nodeUnderTest, entryUnderTest()];
    await host(home, 'codex', 'mcp', 'add', ...words);
    const written = config.parse(parse(await readFile(join(home, '.codex/config.toml'), 'utf8')));
    const tools = await toolsOf(written.mcp_servers.fovea, home);
    expect(tools).toContain('projects_get');
    expect(tools).not.toContain('projects_create');
  }, 60_000);
});

const entry = z.object({
  command: z.string(),
  args: z.array(z.string()),
  env: z.record(z.string(), z.string()).nullish(),
});
const listed = z.tuple([z.object({ name: z.literal('fovea'), transport: entry.loose() })]);
const config = z.object({ mcp_servers: z.object({ fovea: entry }) });

/** A home of its own, with the folder by which `fovea setup` knows that the host is there. */
async function makeHome(folder: string): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'fovea-hosts-'));
  onTestFinished(() => rm(home, { recursive: true, force: true, maxRetries: 5 }));
  await mkdir(join(home, folder));
  return home;
}

function environmentOf(home: string) {
  return {
    PATH: process.env.PATH ?? '',
    HOME: home,
    FOVEA_HOME: join(home, 'data'),
    // Its folder is not known to it, and it asks nobody here.
    GEMINI_CLI_TRUST_WORKSPACE: 'true',
  };
}

async function setUp(home: string, name: string): Promise<void> {
  const options = { env: environmentOf(home), cwd: home };
  await run(nodeUnderTest, [entryUnderTest(), 'setup', name], options);
}

/** A command of a host, which ends by itself. */
function host(home: string, name: 'gemini' | 'codex', ...words: string[]) {
  const script = join(packages, 'node_modules/.bin', name);
  const options = { env: environmentOf(home), cwd: home, timeout: 110_000 };
  const running = run(process.execPath, [script, ...words], options);
  running.child.stdin?.end();
  return running;
}

async function toolsOf(
  { command, args, env }: z.output<typeof entry>,
  home: string,
): Promise<readonly string[]> {
  const client = new Client({ name: 'codex-mcp-client', version: '1.0.0' });
  const own = { PATH: process.env.PATH ?? '', HOME: home };
  await client.connect(new StdioClientTransport({ command, args, env: { ...own, ...env } }));
  onTestFinished(() => client.close());
  return (await client.listTools()).tools.map(({ name }) => name);
}

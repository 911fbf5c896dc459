// The plugin for the hosts of developers: published hosts install it and start what lies in it. The
// command line of Claude Code, a program of 250 MB, is tried by hand: decisions/plugin.md.

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { installPackages } from '../fixtures/install-packages.ts';

const run = promisify(execFile);
const packages = resolve('test/hosts/packages');
const areThere = installPackages(packages, 300_000);
let output: string;
let plugin: string;

beforeAll(async () => {
  output = await realpath(await mkdtemp(join(tmpdir(), 'fovea-plugin-')));
  await run(process.execPath, ['scripts/bundle.ts', output]);
  plugin = join(output, 'plugin');
}, 180_000);

afterAll(() => rm(output, { recursive: true, force: true, maxRetries: 5 }));

const server = z.object({
  command: z.literal('node'),
  args: z.tuple([z.string()]),
  cwd: z.string().optional(),
});
const servers = z.object({ mcpServers: z.object({ fovea: server }) });
const manifest = z.object({
  name: z.literal('fovea'),
  version: z.string(),
  skills: z.literal('./skills/').optional(),
  mcpServers: z.union([z.string(), z.object({ fovea: server })]),
});

async function readJson(path: string): Promise<unknown> {
  return JSON.parse(await readFile(join(plugin, path), 'utf8'));
}

describe.each([
  ['.claude-plugin/plugin.json', 'CLAUDE_PLUGIN_ROOT'],
  ['.codex-plugin/plugin.json', undefined],
  ['.cursor-plugin/plugin.json', 'CURSOR_PLUGIN_ROOT'],
  ['gemini-extension.json', 'extensionPath'],
])('%s', (path, variable) => {
  it('has the version of the package, and starts the file in the plugin', async () => {
    const { version, mcpServers } = manifest.parse(await readJson(path));
    expect(version).toBe(JSON.parse(await readFile('package.json', 'utf8')).version);
    const { fovea } =
      typeof mcpServers === 'string'
        ? servers.parse(await readJson(mcpServers)).mcpServers
        : mcpServers;
    const [script] = fovea.args;
    const filled = script.replace(`\${${variable}}`, plugin).replaceAll(`$\{/}`, '/');
    const cwd = fovea.cwd === undefined ? output : join(plugin, fovea.cwd);
    expect(resolve(cwd, filled)).toBe(join(plugin, 'dist/fovea.js'));
    expect(await toolsOf(filled, cwd)).toContain('projects_create');
  }, 60_000);
});

it('has each skill, and a marketplace that names the plugin', async () => {
  const skills = await readdir(join(plugin, 'skills'));
  expect(skills).toEqual(await readdir('skills'));
  for (const skill of skills)
    expect(existsSync(join(plugin, 'skills', skill, 'SKILL.md'))).toBe(true);
  expect(await readJson('.claude-plugin/marketplace.json')).toMatchObject({
    name: 'fovea',
    plugins: [{ name: 'fovea', source: './' }],
  });
});

it('where Codex starts it, no folder is open until the person names one', async () => {
  const folder = join(plugin, 'dist');
  const home = await makeHome();
  const environment = { PATH: process.env.PATH ?? '', HOME: home, FOVEA_HOME: join(home, 'data') };
  const call = ['fovea.js', 'call', 'images_upload', '{"project":"cells","files":["parts"]}'];
  const failed = await run(process.execPath, call, { cwd: folder, env: environment }).catch(
    (error: unknown) => z.object({ stdout: z.string() }).parse(error),
  );
  expect(failed.stdout).toContain('FOVEA_FILE_ROOTS');
}, 60_000);

describe.skipIf(!areThere)('published hosts', () => {
  it('Gemini CLI installs it, is connected, and has its skills', async () => {
    const home = await makeHome();
    await mkdir(join(home, '.gemini'));
    const trusted = { [plugin]: 'TRUST_FOLDER' };
    await writeFile(join(home, '.gemini/trustedFolders.json'), JSON.stringify(trusted));
    await host(home, 'gemini', 'extensions', 'validate', plugin);
    await host(home, 'gemini', 'extensions', 'install', '--consent', plugin);
    const listed = await host(home, 'gemini', 'mcp', 'list');
    expect(listed).toMatch(/fovea \(from fovea\): .*dist\/fovea\.js \(stdio\) - Connected/);
    const skills = await host(home, 'gemini', 'skills', 'list');
    for (const skill of await readdir('skills')) expect(skills).toContain(`${skill} [Enabled]`);
  }, 240_000);

  it('Codex installs it, and would start the file in its copy', async () => {
    const home = await makeHome();
    await mkdir(join(home, '.codex'));
    await host(home, 'codex', 'plugin', 'marketplace', 'add', plugin);
    await host(home, 'codex', 'plugin', 'add', 'fovea@fovea');
    const words = ['mcp', 'list', '--json'];
    const { stdout } = await command(home, 'codex', words);
    const [{ transport }] = z
      .tuple([z.object({ name: z.literal('fovea'), transport: server.required() })])
      .parse(JSON.parse(stdout));
    expect(resolve(transport.cwd)).toMatch(/\/\.codex\/plugins\/.*\/dist$/);
    expect(await toolsOf(transport.args[0], transport.cwd)).toContain('projects_create');
  }, 120_000);
});

async function makeHome(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'fovea-hosts-'));
  onTestFinished(() => rm(home, { recursive: true, force: true, maxRetries: 5 }));
  return home;
}

/** A command of a host, which ends by itself, and what it prints. */
async function host(home: string, name: 'gemini' | 'codex', ...words: string[]): Promise<string> {
  const { stdout, stderr } = await command(home, name, words);
  return `${stdout}${stderr}`;
}

function command(home: string, name: 'gemini' | 'codex', words: readonly string[]) {
  const script = join(packages, 'node_modules/.bin', name);
  const env = { PATH: process.env.PATH ?? '', HOME: home, GEMINI_CLI_TRUST_WORKSPACE: 'true' };
  const running = run(process.execPath, [script, ...words], { env, cwd: home, timeout: 110_000 });
  running.child.stdin?.end();
  return running;
}

async function toolsOf(script: string, cwd: string): Promise<readonly string[]> {
  const home = await makeHome();
  const client = new Client({ name: 'a-host', version: '1.0.0' });
  const env = { PATH: process.env.PATH ?? '', HOME: home, FOVEA_HOME: join(home, 'data') };
  const { execPath: command } = process;
  await client.connect(new StdioClientTransport({ command, args: [script], cwd, env }));
  onTestFinished(() => client.close());
  return (await client.listTools()).tools.map(({ name }) => name);
}

// `fovea setup` and `fovea doctor` as people run them.

import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import budget from '../../tools/budget.json' with { type: 'json' };
import { launchFovea } from '../fixtures/fovea.ts';
import { entryUnderTest, nodeUnderTest } from '../fixtures/under-test.ts';
import { filesIn, makeHome } from './home-folders.ts';

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly log: string;
}

function fovea(home: string, words: readonly string[], settings = {}): Promise<Ran> {
  const env = { PATH: '/usr/bin:/bin', HOME: home, FOVEA_HOME: join(home, 'data'), ...settings };
  const args = [entryUnderTest(), ...words];
  return new Promise((done) => {
    execFile(nodeUnderTest, args, { env, cwd: home }, (error, out, log) => {
      done({ code: error === null ? 0 : Number(error.code), out, log });
    });
  });
}

const entrySchema = z.object({
  mcpServers: z.object({ fovea: z.object({ command: z.string(), args: z.array(z.string()) }) }),
});

test('what the setup writes into a host is a server that answers', async () => {
  const home = await makeHome();
  await writeFile(join(home, '.claude.json'), '{\n  "projects": {}\n}\n');
  const { code, out } = await fovea(home, ['setup', 'claude-code']);
  expect(code).toBe(0);
  expect(out).toContain('Start a new session of Claude Code.');
  const text = await readFile(join(home, '.claude.json'), 'utf8');
  const { command, args } = entrySchema.parse(JSON.parse(text)).mcpServers.fovea;
  const client = new Client({ name: 'test', version: '1' });
  const env = { PATH: '/usr/bin:/bin', HOME: home, FOVEA_HOME: join(home, 'data') };
  await client.connect(new StdioClientTransport({ command, args, env, cwd: '/' }));
  onTestFinished(() => client.close());
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain('projects_create');
});

test('without a name it lists what is here, and writes nothing', async () => {
  const home = await makeHome();
  expect((await fovea(home, ['setup'])).out).toContain('No host was found here.');
  await mkdir(join(home, '.codex'));
  await writeFile(join(home, '.claude.json'), '{"mcpServers":{"fovea":{"command":"x"}}}');
  const { out } = await fovea(home, ['setup']);
  expect(out).toContain(`Claude Code: ${join(home, '.claude.json')} knows Fovea`);
  expect(out).toContain(`Codex: ${join(home, '.codex/config.toml')} does not know Fovea`);
  expect(Object.keys(await filesIn(home))).toEqual(['.claude.json']);
});

test('all hosts, with a look before and the way back', async () => {
  const home = await makeHome();
  await mkdir(join(home, '.codex'));
  await mkdir(join(home, '.config/goose'), { recursive: true });
  const look = await fovea(home, ['setup', '--dry-run']);
  expect(look.out).toContain('+[mcp_servers.fovea]');
  expect(look.out).toContain('Nothing was written');
  expect(await filesIn(home)).toEqual({});
  await fovea(home, ['setup', '--all', '--tool-profile', 'compact']);
  const written = Object.values(await filesIn(home)).filter((text) => text.includes('compact'));
  expect(written).toHaveLength(2);
  const back = await fovea(home, ['setup', '--undo']);
  expect(back.out).toContain('As it was before.');
  expect(await filesIn(home)).toEqual({});
  expect((await fovea(home, ['setup', '--undo'])).out).toContain('There is nothing to undo.');
});

test('no setting of this shell gets into a file', async () => {
  const home = await makeHome();
  const settings = { FOVEA_API_KEY: 'rf_hush', FOVEA_BASE_URL: 'https://a.example' };
  await fovea(home, ['setup', 'cursor', 'codex', 'goose'], settings);
  expect(JSON.stringify(await filesIn(home))).not.toMatch(/hush|a\.example/);
});

test('a file that is not understood is refused with exit code 1; the others are written', async () => {
  const home = await makeHome();
  await mkdir(join(home, '.cursor'));
  await writeFile(join(home, '.cursor/mcp.json'), '{"mcpServers": [');
  const { code, out } = await fovea(home, ['setup', 'cursor', 'codex']);
  expect(code).toBe(1);
  expect(out).toContain('is no JSON that can be read; nothing was changed. Put this in by hand:');
  expect(out).toContain('"fovea": {');
  expect(await readFile(join(home, '.cursor/mcp.json'), 'utf8')).toBe('{"mcpServers": [');
  expect(await readFile(join(home, '.codex/config.toml'), 'utf8')).toContain('[mcp_servers.fovea]');
});

const rootsSchema = z.object({
  mcpServers: z.object({
    fovea: z.object({ env: z.object({ FOVEA_FILE_ROOTS: z.string() }) }),
  }),
});

const reportSchema = z.looseObject({
  healthy: z.boolean(),
  checks: z.array(
    z.strictObject({
      check: z.string(),
      ok: z.boolean(),
      detail: z.string(),
      fix: z.string().optional(),
      advice: z.string().optional(),
    }),
  ),
});

async function doctor(home: string, settings = {}) {
  const { code, out } = await fovea(home, ['doctor', '--json'], settings);
  const report = reportSchema.parse(JSON.parse(out));
  return {
    code,
    ...report,
    of: (name: string) => report.checks.find(({ check }) => check === name),
  };
}

test('the doctor finds a machine in order, in rows and as JSON', async () => {
  const home = await makeHome();
  const settings = { FOVEA_FILE_ROOTS: home };
  await fovea(home, ['setup', 'cursor']);
  const { code, healthy, checks, of } = await doctor(home, settings);
  expect(checks.filter(({ ok }) => !ok)).toEqual([]);
  expect([code, healthy]).toEqual([0, true]);
  expect(checks.map(({ check }) => check)).toEqual([
    'node',
    'settings',
    'data folder',
    'file roots',
    'keychain',
    'sign-in',
    'scopes',
    'platform',
    'model',
    'embedder',
    'trainer',
    'event store',
    'path',
    'network',
    'clock',
    'stores',
    'pictures',
    'hosts',
    'processes',
    'protocol',
    'tool profile',
  ]);
  expect(of('hosts')?.detail).toBe('Know Fovea: Cursor.');
  expect(of('protocol')?.detail).toContain('2026-07-28, 2025-11-25, 2025-06-18');
  const rows = await fovea(home, ['doctor'], settings);
  expect(rows.code).toBe(0);
  expect(rows.out).toContain('ok   hosts         Know Fovea: Cursor.\n');
});

test('the doctor names what is broken, each with its mend', async () => {
  const home = await makeHome();
  await mkdir(join(home, '.cursor'));
  const gone = { command: process.execPath, args: [join(home, 'gone/fovea.js')] };
  await writeFile(join(home, '.cursor/mcp.json'), JSON.stringify({ mcpServers: { fovea: gone } }));
  await mkdir(join(home, 'data/event-store'), { recursive: true });
  await writeFile(join(home, 'data/event-store/events.db'), 'no database at all'.repeat(100));
  const { code, healthy, of } = await doctor(home, {
    FOVEA_FILE_ROOTS: home,
    NODE_EXTRA_CA_CERTS: join(home, 'none.pem'),
    HTTPS_PROXY: 'http://proxy.example:1',
  });
  expect([code, healthy]).toEqual([1, false]);
  expect(of('hosts')).toMatchObject({
    ok: false,
    detail: `Cursor: "${join(home, '.cursor/mcp.json')}" starts a copy of Fovea that is not there any more.`,
    fix: expect.stringContaining('Run fovea setup cursor'),
  });
  expect(of('stores')).toMatchObject({
    ok: false,
    detail: 'Damaged: "event-store/events.db".',
    fix: expect.stringContaining('FOVEA_HOME'),
  });
  expect(of('network')).toMatchObject({ ok: false, fix: expect.stringContaining('PEM') });
});

test('a key in the file of a host, and checks of certificates that are off', async () => {
  const home = await makeHome();
  await mkdir(join(home, '.cursor'));
  const fovea = { command: process.execPath, env: { FOVEA_API_KEY: 'rf_hush' } };
  await writeFile(join(home, '.cursor/mcp.json'), JSON.stringify({ mcpServers: { fovea } }));
  const { of, checks } = await doctor(home, { NODE_TLS_REJECT_UNAUTHORIZED: '0' });
  expect(of('hosts')?.detail).toContain('A key stands in plain text');
  expect(of('network')).toMatchObject({ ok: false, fix: expect.stringContaining('Unset it') });
  expect(JSON.stringify(checks)).not.toContain('hush');
});

test('a setting that cannot be read is named, and the rest is looked at', async () => {
  const home = await makeHome();
  const { code, checks, of } = await doctor(home, {
    FOVEA_FILE_ROOTS: home,
    FOVEA_TIMEOUT_MS: 'soon',
    FOVEA_DEVICE_URL: 'nowhere',
    FOVEA_TRAINER: 'exmaple',
  });
  expect(code).toBe(1);
  expect(checks).toHaveLength(21);
  expect(checks.filter(({ ok }) => !ok).map(({ check }) => check)).toEqual([
    'settings',
    'platform',
    'trainer',
    'event store',
  ]);
  expect(of('settings')?.detail).toContain('FOVEA_TIMEOUT_MS: must be a whole number');
  expect(of('settings')?.detail).toContain(
    'FOVEA_TRAINER: must be "torchvision", "ultralytics", "rf-detr", "example", or a program',
  );
  expect(of('event store')?.fix).toBe('First correct FOVEA_DEVICE_URL.');
});

test('a variable that nobody reads is named, with the one that was meant', async () => {
  const home = await makeHome();
  const { of } = await doctor(home, { FOVEA_FILE_ROTS: home, FOVEA_TOOL_PROFILE: 'compact' });
  expect(of('settings')).toEqual({
    check: 'settings',
    ok: false,
    detail: 'Set: FOVEA_HOME, FOVEA_TOOL_PROFILE=compact. Read by nobody: "FOVEA_FILE_ROTS".',
    fix: 'Write FOVEA_FILE_ROOTS in place of "FOVEA_FILE_ROTS".',
  });
  const others = await doctor(home, { FOVEA_QWERTZUIOP: '1' });
  expect(others.of('settings')).toMatchObject({
    ok: true,
    detail: 'Set: FOVEA_HOME. Read by nobody: "FOVEA_QWERTZUIOP".',
  });
});

test('a model and a trainer that are not there, or no programs', async () => {
  const home = await makeHome();
  await writeFile(join(home, 'train.sh'), 'exit', { mode: 0o600 });
  const { of } = await doctor(home, {
    FOVEA_MODEL: join(home, 'none.onnx'),
    FOVEA_TRAINER: join(home, 'train.sh'),
  });
  expect(of('model')).toMatchObject({
    ok: false,
    detail: `"${join(home, 'none.onnx')}" is not there.`,
    fix: expect.stringContaining('FOVEA_MODEL'),
  });
  expect(of('trainer')).toMatchObject({
    ok: false,
    detail: `"${join(home, 'train.sh')}" cannot be run.`,
    fix: expect.stringContaining('FOVEA_TRAINER'),
  });
  const example = await doctor(home, { FOVEA_TRAINER: 'example' });
  expect(example.of('trainer')).toEqual({
    check: 'trainer',
    ok: false,
    detail: '"example" is not installed.',
    fix: 'Run fovea trainer install example.',
  });
});

test('the doctor makes nothing, and tells advice from what is wrong', async () => {
  const home = await makeHome();
  const settings = { FOVEA_FILE_ROOTS: home, FOVEA_TOOL_PROFILE: 'full' };
  const { code, of } = await doctor(home, settings);
  expect(code).toBe(0);
  expect(of('stores')?.detail).toBe('Nothing is stored yet.');
  expect(of('platform')?.detail).toContain('the first tool makes it');
  expect(of('tool profile')).toMatchObject({
    ok: true,
    advice: expect.stringContaining('FOVEA_TOOL_PROFILE=default'),
  });
  expect(of('tool profile')?.fix).toBeUndefined();
  expect(of('tool profile')?.detail).toContain(`about ${budget.full.tokens} tokens`);
  const rows = await fovea(home, ['doctor'], settings);
  expect(rows.out).toContain('   advice: FOVEA_TOOL_PROFILE=default');
  expect(await filesIn(home)).toEqual({});
});

test('folders for the tools are written into the entry, as this shell or the command names them', async () => {
  const home = await makeHome();
  await mkdir(join(home, 'data sets'));
  const without = await fovea(home, ['setup', 'cursor', '--dry-run']);
  expect(without.out).toContain('Afterwards: Enable fovea in the MCP settings of Cursor.');
  expect(without.out).toContain('--files FOLDER names others.');
  await fovea(home, ['setup', 'cursor'], { FOVEA_FILE_ROOTS: '/of/the/shell' });
  const file = join(home, '.cursor/mcp.json');
  const rootsOf = async () => rootsSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  const entryWith = (roots: string) => ({
    mcpServers: { fovea: { env: { FOVEA_FILE_ROOTS: roots } } },
  });
  expect(await rootsOf()).toEqual(entryWith('/of/the/shell'));
  const { out } = await fovea(home, ['setup', 'cursor', '--files', 'data sets', '--files', home]);
  expect(out).not.toContain('--files FOLDER');
  expect(await rootsOf()).toEqual(entryWith(`${join(home, 'data sets')}:${home}`));
  // What stands there already was asked for; that of a shell was not.
  await fovea(home, ['setup', 'cursor'], { FOVEA_FILE_ROOTS: '/of/another/shell' });
  expect(await rootsOf()).toEqual(entryWith(`${join(home, 'data sets')}:${home}`));
});

test.each([
  [['setup', 'cursor', '--files', 'none'], 'there is no folder'],
  [['setup', '--files', '.'], '--files: needs a host, or --all'],
])('%s: %s', async (words, message) => {
  const home = await makeHome();
  const { code, log } = await fovea(home, words);
  expect(code).not.toBe(0);
  expect(log).toContain(message);
  expect(await filesIn(home)).toEqual({});
});

test('a Node that is reached by a link is written by the link, which upgrades keep', async () => {
  const home = await makeHome();
  await mkdir(join(home, 'bin'));
  await symlink(nodeUnderTest, join(home, 'bin/node'));
  const { out } = await fovea(home, ['setup', 'cursor', '--dry-run'], {
    PATH: `${join(home, 'bin')}:/usr/bin:/bin`,
  });
  expect(out).toContain(`+      "command": "${join(home, 'bin/node')}",`);
});

test('a host gets the same checklist from the tool', async () => {
  const fovea = await launchFovea();
  onTestFinished(() => fovea.close());
  const { checks, healthy } = reportSchema.parse(await fovea.ok('doctor'));
  expect(checks.filter(({ ok }) => !ok)).toEqual([]);
  expect(healthy).toBe(true);
  expect(checks).toHaveLength(21);
});

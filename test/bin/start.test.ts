// Starts that cannot succeed end at once, with the reason on stderr; what is wrong later is named.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import list from '../../tools/list.json' with { type: 'json' };
import { launchFovea } from '../fixtures/fovea.ts';
import { startFovea } from '../fixtures/fovea-services.ts';
import { killProcess } from '../fixtures/kill-process.ts';
import { entryUnderTest, nodeUnderTest } from '../fixtures/under-test.ts';
import { initialize, type RawServer } from '../mcp/raw-server.ts';
import { startServer } from '../mcp/raw-stdio.ts';

const folder = mkdtempSync(join(tmpdir(), 'fovea-start-'));
const file = join(folder, 'a-file');
writeFileSync(file, 'no folder');

afterAll(() => rmSync(folder, { recursive: true }));

/** Stdin stays open, as a host that waits for its first answer leaves it. */
async function run(argv: readonly string[], environment: Record<string, string> = {}) {
  const child = spawn(nodeUnderTest, [entryUnderTest(), ...argv], {
    stdio: ['pipe', 'ignore', 'pipe'],
    env: { PATH: process.env.PATH, HOME: folder, ...environment },
  });
  const [[code], log] = await Promise.all([once(child, 'exit'), text(child.stderr)]);
  return { code, log };
}

test('--help names the lanes that a worker takes', async () => {
  const { stdout } = await promisify(execFile)(nodeUnderTest, [entryUnderTest(), '--help']);
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
    '(may be repeated): versions, exports, changes, imports, models, trainings, search, looks, ' +
      'embeddings For people and scripts:',
  );
});

test.each([
  [{ FOVEA_TOOLSETS: 'image' }, 'FOVEA_TOOLSETS: "image" is no toolset; did you mean "images"?'],
  [{ FOVEA_TIMEOUT_MS: 'soon' }, 'FOVEA_TIMEOUT_MS: must be a whole number from 100 to 3600000'],
])('with %j the process ends with code 2', async (environment, message) => {
  expect(await run([], environment)).toEqual({ code: 2, log: expect.stringContaining(message) });
});

test('a service whose data folder cannot be made says which setting names it', async () => {
  const argv = ['platform', '--port', '0'];
  const byOption = await run([...argv, '--data', join(file, 'data')]);
  expect(byOption.code).toBe(2);
  expect(byOption.log).toContain(`--data: "${join(file, 'data')}" cannot be the data folder`);
  const bySetting = await run(argv, { FOVEA_HOME: file });
  expect(bySetting.code).toBe(2);
  expect(bySetting.log).toContain(`FOVEA_HOME: "${join(file, 'platform')}" cannot be the data`);
});

test.each([
  ['platform', 'platform.db'],
  ['event-store', 'events.db'],
])(
  '%s refuses a FOVEA_HOME as its own data folder, beside the data in it',
  async (service, name) => {
    const home = join(folder, `home-of-${service}`);
    mkdirSync(join(home, service), { recursive: true });
    writeFileSync(join(home, service, name), '');
    const { code, log } = await run([service, '--port', '0', '--data', home]);
    expect(code).toBe(2);
    expect(log).toContain(
      `--data: "${home}" is a FOVEA_HOME: the data is in "${join(home, service)}"`,
    );
    expect(log).toContain(`Give --data "${join(home, service)}"`);
  },
);

test('a worker makes no platform where there is none, and says what would be right', async () => {
  const missing = join(folder, 'no-such-platform');
  const { code, log } = await run(['worker', '--data', missing]);
  expect(code).toBe(2);
  expect(log).toContain(`There is no platform in "${missing}".`);
  expect(existsSync(missing)).toBe(false);
  const byHome = await run(['worker'], { FOVEA_HOME: missing });
  expect(byHome.log).toContain(`There is no platform in "${join(missing, 'platform')}".`);
});

test.each(['platform', 'http'])(
  '%s says once that it made a new, empty platform',
  async (command) => {
    const data = join(folder, `new-of-${command}`);
    const start = () => startFovea([command, '--port', '0', '--data', data], { HOME: folder });
    const first = await start();
    await first.stop();
    expect(first.output()).toContain(`A new, empty platform was made. folder="${data}"`);
    const second = await start();
    await second.stop();
    expect(second.output()).not.toContain('new, empty platform');
  },
);

test('a tool that needs the embedded platform names FOVEA_HOME where it cannot be made', async () => {
  const fovea = await launchFovea({ FOVEA_HOME: file });
  try {
    const { isError, text: said } = await fovea.call('workspace_whoami');
    expect(isError).toBe(true);
    expect(said).toContain('FOVEA_HOME: ');
    expect(said).toContain('Set FOVEA_HOME to a folder that you may write.');
  } finally {
    await fovea.close();
  }
});

/** Prints the address of each module that is loaded. */
const watcher = join(folder, 'watch.mjs');
writeFileSync(
  watcher,
  `import { registerHooks } from 'node:module';
  registerHooks({ load(url, context, next) {
    process.stderr.write('loaded ' + url + '\\n');
    return next(url, context);
  } });`,
);

/** Loads all but the server itself, as if an upgrade had replaced it. */
const remover = join(folder, 'remove.mjs');
writeFileSync(
  remover,
  `import { registerHooks } from 'node:module';
  registerHooks({ load(url, context, next) {
    if (url.endsWith('/stdio-server.ts')) throw new Error('gone');
    return next(url, context);
  } });`,
);

/** Signed out and offline: the modules that were loaded until the end, one per line. */
async function loadedAfter(method: string, params: object): Promise<string> {
  const server = await initialized(watcher);
  server.send({ method: 'notifications/initialized' });
  server.send({ id: 2, method, params });
  const { result } = await server.answer(2);
  const offered = list.filter((tool) => !('embeddedOnly' in tool));
  expect(result).toMatchObject(
    method === 'tools/list' ? { tools: { length: offered.length } } : {},
  );
  server.endInput();
  await server.exited();
  return server.log();
}

/** Answered with its introduction; `hooks` watch what it loads. */
async function initialized(hooks: string): Promise<RawServer> {
  const server = startServer(
    {
      HOME: folder,
      FOVEA_HOME: join(folder, 'home'),
      FOVEA_TOOL_PROFILE: 'full',
      // Nobody listens there.
      FOVEA_BASE_URL: 'http://127.0.0.1:9',
      FOVEA_CREDENTIALS: 'file',
      NODE_OPTIONS: `--import ${hooks}`,
    },
    // Which modules there are is known of the sources.
    'src/bin/fovea.ts',
  );
  onTestFinished(() => killProcess(server.child));
  server.send(initialize('2025-11-25'));
  await server.answer(1);
  return server;
}

test('a server is introduced before anything of the protocol package is loaded', async () => {
  const server = await initialized(watcher);
  server.endInput();
  expect(await server.exited()).toBe(0);
  expect(server.log()).toContain('/src/bin/stdio.ts');
  expect(server.log()).not.toMatch(/@modelcontextprotocol|zod|node:crypto/);
});

test('where the rest of the code is gone since the start, the process ends and says so', async () => {
  const server = await initialized(remover);
  server.send({ id: 2, method: 'tools/list' });
  await server.answer(2);
  expect(await server.exited()).toBe(2);
  expect(server.log()).toContain('fovea: ');
});

test('signed out and offline, all tools are listed, and nothing of sign-in is loaded', async () => {
  const loaded = await loadedAfter('tools/list', {});
  expect(loaded).toContain('/src/bin/stdio.ts');
  expect(loaded).not.toMatch(
    /src\/(sign-in|authorization-server)\/|oauth4webapi|keyring|keytar|oidc/,
  );
});

test('a call that asks who is signed in loads nothing of the authorization server', async () => {
  const loaded = await loadedAfter('tools/call', { name: 'auth_status', arguments: {} });
  expect(loaded).toContain('/src/sign-in/');
  expect(loaded).not.toMatch(/authorization-server\/|oidc-provider/);
});

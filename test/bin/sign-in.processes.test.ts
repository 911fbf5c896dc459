// `fovea sign-in`, `status` and `sign-out` as a person runs them, against a service of others.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startExampleProvider } from '../fixtures/foreign-authorization-servers.ts';
import { killProcess } from '../fixtures/kill-process.ts';
import { startScriptedAuthorizationServer } from '../fixtures/scripted-authorization-server.ts';
import { entryUnderTest, nodeUnderTest } from '../fixtures/under-test.ts';

interface Machine {
  readonly home: string;
  /** What the browser was started with, a line each. */
  opened(): readonly string[];
  run(argv: readonly string[], environment?: Record<string, string>): Running;
}

interface Running {
  readonly ended: Promise<{ readonly code: unknown; readonly out: string; readonly log: string }>;
  out(): string;
  type(line: string): void;
}

/** A home of its own, and a browser that only writes down its address. */
function machine(settings: Record<string, string>): Machine {
  const folder = mkdtempSync(join(tmpdir(), 'fovea-person-'));
  const log = join(folder, 'opened');
  const script = `#!/bin/sh\nprintf '%s\\n' "$@" >> '${log}'\n`;
  writeFileSync(join(folder, 'xdg-open'), script, { mode: 0o755 });
  const home = join(folder, 'home');
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return {
    home,
    opened: () => (existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n') : []),
    run: (argv, environment = {}) => {
      const child = spawn(nodeUnderTest, [entryUnderTest(), ...argv], {
        env: {
          PATH: `${folder}:/usr/bin:/bin`,
          HOME: folder,
          FOVEA_HOME: home,
          DISPLAY: ':0',
          FOVEA_CREDENTIALS: 'file',
          FOVEA_LOG: 'debug',
          ...settings,
          ...environment,
        },
      });
      onTestFinished(() => killProcess(child));
      let out = '';
      let log = '';
      child.stdout.setEncoding('utf8').on('data', (part) => (out += part));
      child.stderr.setEncoding('utf8').on('data', (part) => (log += part));
      return {
        ended: once(child, 'close').then(([code]) => ({ code, out, log })),
        out: () => out,
        type: (line) => void child.stdin.write(`${line}\n`),
      };
    },
  };
}

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return String(typeof address === 'object' && address !== null ? address.port : 0);
}

async function service() {
  const server = await startExampleProvider({ auth: 'client_secret_basic' });
  onTestFinished(() => server.close());
  return {
    server,
    settings: {
      FOVEA_BASE_URL: server.issuer,
      FOVEA_CLIENT_ID: server.clientId,
      FOVEA_CLIENT_SECRET: server.clientSecret?.reveal() ?? '',
      FOVEA_CLIENT_AUTH: 'client_secret_basic',
      FOVEA_REDIRECT_PORT: await freePort(),
    },
  };
}

const addressIn = (text: string): string | undefined => /^ {2}(http\S+)$/m.exec(text)?.[1];

async function addressOf(running: Running): Promise<string> {
  return vi.waitUntil(() => addressIn(running.out()), { timeout: 20_000 });
}

test('a person signs in with the browser, is shown, and signs out', {
  timeout: 60_000,
}, async () => {
  const { server, settings } = await service();
  const person = machine(settings);
  expect(await person.run(['status']).ended).toMatchObject({
    code: 1,
    out: expect.stringContaining('status        signed_out\n'),
  });
  expect(existsSync(join(person.home, 'platform'))).toBe(false);

  const signIn = person.run(['sign-in']);
  const address = await addressOf(signIn);
  await vi.waitUntil(() => person.opened().length > 0, { timeout: 20_000 });
  expect(person.opened()).toEqual([address]);
  const page = await fetch(await server.agree(address));
  expect(page.status).toBe(200);
  const { code, out, log } = await signIn.ended;
  expect({ code, log }).toEqual({ code: 0, log: '' });
  expect(out).toMatch(/Signed in\. Kept in: encrypted file/);

  const status = await person.run(['status']).ended;
  expect(status.code).toBe(0);
  expect(status.out).toMatch(/^status {8}signed_in$/m);
  expect(status.out).toMatch(/^person {8}\S/m);
  expect(status.out).toMatch(/^token until {3}20\d\d-/m);
  expect(status.out).toMatch(/^scopes {8}openid/m);

  const again = await person.run(['sign-in']).ended;
  expect(again).toMatchObject({ code: 0, out: expect.stringContaining('Signed in already') });
  expect(person.opened()).toHaveLength(1);

  const out1 = await person.run(['sign-out']).ended;
  expect(out1).toMatchObject({ code: 0, out: 'Signed out. The service has revoked the tokens.\n' });
  const out2 = await person.run(['sign-out']).ended;
  expect(out2.out).toBe('Nobody was signed in (profile default).\n');
  expect((await person.run(['status']).ended).code).toBe(1);
});

test('over SSH nothing opens, and the address is pasted', { timeout: 60_000 }, async () => {
  const { server, settings } = await service();
  const person = machine({ ...settings, SSH_CONNECTION: '192.0.2.1 1 192.0.2.2 22' });
  const signIn = person.run(['sign-in', '--paste', '--profile', 'work']);
  const last = await server.agree(await addressOf(signIn));
  await expect(fetch(last)).rejects.toThrow('fetch failed');
  signIn.type('http://127.0.0.1:1/callback?code=x&state=y');
  await vi.waitUntil(() => signIn.out().includes('is not the final address'), { timeout: 20_000 });
  signIn.type(last.href);
  expect(await signIn.ended).toMatchObject({ code: 0, log: '' });
  expect(person.opened()).toEqual([]);
  expect((await person.run(['status', '--profile', 'work']).ended).code).toBe(0);
  const other = await person.run(['status']).ended;
  expect(other.code).toBe(1);
  expect(other.out).toMatch(/^other profile work /m);
});

test('over SSH without --paste, the address and the way out are said', {
  timeout: 60_000,
}, async () => {
  const { server, settings } = await service();
  const person = machine({ ...settings, SSH_TTY: '/dev/pts/1' });
  const signIn = person.run(['sign-in']);
  const address = await addressOf(signIn);
  expect(signIn.out()).toContain('fovea sign-in --paste');
  await fetch(await server.agree(address));
  expect((await signIn.ended).code).toBe(0);
  expect(person.opened()).toEqual([]);
});

test('what keeps a sign-in from starting is said, with code 2', { timeout: 60_000 }, async () => {
  const person = machine({});
  const cases = [
    [{}, 'The embedded platform needs no sign-in.'],
    [{ FOVEA_BASE_URL: 'https://api.example.com', FOVEA_API_KEY: 'key' }, 'FOVEA_API_KEY is set'],
    [{ FOVEA_BASE_URL: 'https://api.example.com', FOVEA_CREDENTIALS: 'memory' }, 'is memory'],
    [{ FOVEA_BASE_URL: 'http://127.0.0.1:1' }, 'cannot be reached'],
    [{ FOVEA_BASE_URL: 'https://api.example.com', FOVEA_SCOPES: 'everything' }, 'FOVEA_SCOPES'],
  ] as const;
  for (const [environment, words] of cases) {
    const { code, out, log } = await person.run(['sign-in'], environment).ended;
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(log).toContain(words);
  }
  const named = await person.run(['status', '--profile', '../x']).ended;
  expect(named).toMatchObject({ code: 2, log: expect.stringContaining('--profile: ') });
  expect(person.opened()).toEqual([]);
});

test("a service's own words cannot act on the terminal", { timeout: 60_000 }, async () => {
  const server = await startScriptedAuthorizationServer();
  onTestFinished(() => server.close());
  const person = machine({ FOVEA_BASE_URL: server.issuer, FOVEA_REDIRECT_PORT: await freePort() });
  const signIn = person.run(['sign-in']);
  const asked = new URL(await addressOf(signIn));
  const back = new URL(asked.searchParams.get('redirect_uri') ?? '');
  back.search = new URLSearchParams({
    error: 'server_error',
    error_description: '\u001b]0;evil\u0007\nrm -rf /',
    state: asked.searchParams.get('state') ?? '',
    iss: server.issuer,
  }).toString();
  await fetch(back);
  const { code, log } = await signIn.ended;
  expect(code).toBe(2);
  expect(log).toContain('The service says: server_error:  ]0;evil rm -rf /');
  expect(log).not.toContain('\u001b');
});

test('no token is in any file in plain, nor any word in the log', { timeout: 60_000 }, async () => {
  const server = await startScriptedAuthorizationServer();
  onTestFinished(() => server.close());
  const person = machine({ FOVEA_BASE_URL: server.issuer, FOVEA_REDIRECT_PORT: await freePort() });
  const signIn = person.run(['sign-in']);
  const asked = new URL(await addressOf(signIn));
  server.lies['/token'] = () => ({
    ...server.tokens(asked.searchParams.get('nonce'), { aud: 'fovea' }),
    access_token: 'canary-access',
    refresh_token: 'canary-refresh',
  });
  const back = new URL(asked.searchParams.get('redirect_uri') ?? '');
  back.search = new URLSearchParams({
    code: 'canary-code',
    iss: server.issuer,
    state: asked.searchParams.get('state') ?? '',
  }).toString();
  const page = await (await fetch(back)).text();
  const { code, out, log } = await signIn.ended;
  expect(code).toBe(0);
  const files = readdirSync(person.home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
  expect(files.length).toBeGreaterThan(0);
  expect([page, out, log, ...files].join('\n')).not.toContain('canary');
});

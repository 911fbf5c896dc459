// `fovea platform` with its sign-in service: one address, one line on stdout, one end.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { killProcess } from '../fixtures/kill-process.ts';
import { entryUnderTest, nodeUnderTest } from '../fixtures/under-test.ts';

const key = 'a-key-for-tests';
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fovea-platform-process-'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

function launch(environment: Record<string, string> = {}, ...argv: string[]) {
  const script = entryUnderTest();
  const child = spawn(nodeUnderTest, [script, 'platform', '--port', '0', ...argv], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, HOME: folder, FOVEA_HOME: folder, ...environment },
  });
  return { child, out: text(child.stdout), log: text(child.stderr), ended: once(child, 'exit') };
}

async function urlOf({ stdout }: ChildProcess): Promise<string> {
  return String(await once(stdout ?? process.stdin, 'data')).trim();
}

describe('one process with a key', () => {
  let running: ReturnType<typeof launch>;
  let url = '';

  beforeAll(async () => {
    running = launch({ FOVEA_API_KEY: key, FOVEA_LOG: 'info' });
    url = await urlOf(running.child);
  });

  afterAll(() => killProcess(running.child));

  const get = (path: string, options: RequestInit = {}) =>
    fetch(url + path, { redirect: 'manual', ...options });

  test('serves operations and the sign-in service at one address', async () => {
    const authorization = `Bearer ${key}`;
    expect((await get('/', { headers: { authorization } })).status).toBe(200);
    const metadata = await (await get('/.well-known/openid-configuration')).json();
    expect(metadata).toMatchObject({
      issuer: url,
      authorization_endpoint: `${url}/oauth/authorize`,
      token_endpoint: `${url}/oauth/token`,
      revocation_endpoint: `${url}/oauth/revoke`,
      userinfo_endpoint: `${url}/oauth/userinfo`,
      jwks_uri: `${url}/.well-known/jwks.json`,
    });
    expect(await (await get('/oauth/validate')).json()).toEqual({
      active: false,
      exp: null,
      workspace_url: '',
      scopes: [],
    });
  });

  test.each([
    ['GET', '/oauth/token', 405],
    ['DELETE', '/oauth/token', 405],
    ['POST', '/oauth/authorize', 405],
    ['DELETE', '/oauth/authorize', 405],
    ['PATCH', '/oauth/validate', 405],
    ['PUT', '/.well-known/jwks.json', 405],
    ['GET', '/oauth', 404],
    ['GET', '/oauth/nothing', 404],
    ['GET', '/oauth/projects/3', 404],
    ['POST', '/oauth/projects', 404],
    ['GET', '/settings/nothing', 404],
    ['POST', '/settings/projects', 404],
    ['GET', '/.well-known', 404],
    ['GET', '/.well-known/anything', 404],
    ['GET', '/%6fauth/nothing', 404],
  ])('%s %s is no operation: %i', async (method, path, status) => {
    const withKey = await get(path, { method, headers: { authorization: `Bearer ${key}` } });
    expect([withKey.status, (await get(path, { method })).status]).toEqual([status, status]);
  });

  test('names the methods that an address has, and no more', async () => {
    for (const method of ['GET', 'OPTIONS', 'DELETE']) {
      const answer = await get('/oauth/token', { method });
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
    }
  });

  test('answers HEAD for the pages of the service as it answers GET, without a body', async () => {
    for (const path of ['/oauth/validate', '/.well-known/openid-configuration']) {
      const head = await get(path, { method: 'HEAD' });
      expect([path, head.status, await head.text()]).toEqual([path, 200, '']);
    }
  });

  test('keeps what the service knows where only its owner can read it', async () => {
    const data = join(folder, 'platform');
    const files = (await readdir(data)).filter((name) => name.startsWith('sign-in.db'));
    expect(files).toContain('sign-in.db');
    for (const name of files) {
      expect([name, (await stat(join(data, name))).mode & 0o077]).toEqual([name, 0]);
    }
  });

  test('refuses foreign hosts and pages for the sign-in service too', async () => {
    const foreign = await get('/oauth/validate', { headers: { origin: 'https://evil.test' } });
    expect(foreign.status).toBe(403);
  });

  test('ends with SIGTERM, having said its URL and nothing else on stdout', async () => {
    running.child.kill('SIGTERM');
    expect((await running.ended)[0]).toBe(0);
    expect(await running.out).toBe(`${url}\n`);
    expect(await running.log).not.toMatch(/oidc-provider|WARNING|NOTICE|ExperimentalWarning/i);
  });
});

test('without a key it says who may call', async () => {
  const { child, log, ended } = launch({}, '--data', join(folder, 'keyless'));
  await urlOf(child);
  child.kill('SIGTERM');
  await ended;
  expect(await log).toContain('FOVEA_API_KEY is not set');
  expect(await log).toContain('fovea account add');
});

test('behind a proxy the public address is the issuer, and its host is ours', async () => {
  const publicUrl = 'https://fovea.example.org';
  const { child } = launch({ FOVEA_PUBLIC_URL: publicUrl, FOVEA_API_KEY: key });
  onTestFinished(() => killProcess(child));
  const url = await urlOf(child);
  const answer = await fetch(`${url}/.well-known/openid-configuration`, {
    headers: { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'fovea.example.org' },
  });
  expect(await answer.json()).toMatchObject({
    issuer: publicUrl,
    token_endpoint: `${publicUrl}/oauth/token`,
  });
});

const [host = ''] = Object.values(networkInterfaces())
  .flatMap((list) => list ?? [])
  .flatMap(({ internal, family, address }) => (internal || family !== 'IPv4' ? [] : [address]));

test.skipIf(host === '')('on an address of the network nobody can sign in', async () => {
  const { child, log } = launch({ FOVEA_API_KEY: key }, '--host', host);
  onTestFinished(() => killProcess(child));
  const url = await urlOf(child);
  expect((await fetch(`${url}/.well-known/openid-configuration`)).status).toBe(401);
  child.kill('SIGTERM');
  expect(await log).toContain('Sign-in is off');
});

test.each(['0.0.0.0', '::'])(
  'on %s it warns of plain text, but not before a proxy',
  async (host) => {
    const warned = async (environment: Record<string, string>) => {
      const { child, log } = launch({ FOVEA_API_KEY: key, ...environment }, '--host', host);
      onTestFinished(() => killProcess(child));
      await urlOf(child);
      child.kill('SIGTERM');
      return (await log).includes('send passwords and tokens in plain text');
    };
    expect(await warned({})).toBe(true);
    expect(await warned({ FOVEA_PUBLIC_URL: 'https://fovea.example.org' })).toBe(false);
  },
);

test.each([
  [{ FOVEA_PUBLIC_URL: 'https://example.org/fovea' }, 'FOVEA_PUBLIC_URL: must have no path'],
  [{ FOVEA_PUBLIC_URL: 'http://example.org' }, 'FOVEA_PUBLIC_URL: must be https'],
  [{ FOVEA_WORKSPACE: 'oauth' }, '"oauth" is the path of something else'],
])('with %j it does not start', async (environment, message) => {
  const { log, out, ended } = launch({ FOVEA_API_KEY: key, ...environment });
  expect((await ended)[0]).toBe(2);
  expect(await log).toContain(message);
  expect(await out).toBe('');
});

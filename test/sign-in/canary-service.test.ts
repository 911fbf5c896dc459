// Secrets of people and programs that come to a service of ours, and everything that it writes:
// log lines at their loudest, what its commands print, its files. Right ones and wrong ones alike:
// a password with a typing mistake is as good as the password.

import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { agree, openFormBrowser } from '../fixtures/form-browser.ts';
import { type RunningService, runFovea, startFovea } from '../fixtures/fovea-services.ts';
import { filesBelow, leaks, mark, type Place, wordsOf } from './secret-leaks.ts';

const redirectUri = 'http://127.0.0.1:9/callback';
const verifier = mark('verifier').padEnd(43, 'v');

let folder: string;
let secrets: Record<string, string>;
let outputs: Place[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fovea-canary-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  outputs = [];
  secrets = {
    password: mark('password'),
    'wrong password': mark('wrongpassword'),
    'unknown token': mark('unknowntoken'),
    'unknown code': mark('unknowncode'),
    'wrong client secret': mark('wrongclientsecret'),
    'code verifier': verifier,
  };
});

function secret(name: string): string {
  const value = secrets[name];
  if (value === undefined) throw new Error(`There is no ${name}.`);
  return value;
}

function environment() {
  return { HOME: folder, FOVEA_HOME: folder, FOVEA_LOG: 'debug' };
}

async function command(words: readonly string[], input = ''): Promise<string> {
  const { code, stdout, stderr } = await runFovea(words, environment(), input);
  expect([words, code]).toEqual([words, 0]);
  outputs.push({ name: words.slice(0, 2).join(' '), content: stderr + stdout });
  return stdout;
}

/** Gives the client id. The secret is shown this once, to whoever registers the application. */
async function register(): Promise<string> {
  const told = await command([
    'application',
    'add',
    '--name',
    'Reader',
    '--homepage',
    'https://example.com',
    '--redirect-uri',
    redirectUri,
    '--auth',
    'client_secret_post',
    '--visibility',
    'Internal',
  ]);
  outputs.pop();
  [secrets['client secret'] = ''] = /fvs_[\w-]+/.exec(told) ?? [];
  return /fva_[\w-]+/.exec(told)?.[0] ?? '';
}

/** Once with a wrong password, then with the right one; keeps the code, and all cookies. */
async function signIn({ url }: RunningService, clientId: string): Promise<void> {
  const authorize = new URL('/oauth/authorize', url);
  authorize.search = new URLSearchParams({
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'openid project:read project:create',
    state: 's',
    nonce: 'n',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  }).toString();
  const wrong = { name: 'Ada Lovelace', password: secret('wrong password') };
  await expect(agree(openFormBrowser(), authorize, wrong)).rejects.toThrow();
  const browser = openFormBrowser();
  const final = await agree(browser, authorize, { ...wrong, password: secret('password') });
  secrets.code = final.searchParams.get('code') ?? '';
  for (const [name, value] of browser.cookies()) secrets[`cookie ${name}`] = value;
}

async function post({ url }: RunningService, path: string, fields: Record<string, string>) {
  const body = new URLSearchParams(fields);
  const response = await fetch(new URL(path, url), { method: 'POST', body });
  const text = await response.text();
  return text === '' ? {} : { ...Object(JSON.parse(text)) };
}

/** The token endpoint, wrong and right; keeps all that it gives. */
async function redeem(service: RunningService, client_id: string): Promise<void> {
  const client = { client_id, client_secret: secret('client secret') };
  const grant = { grant_type: 'authorization_code', redirect_uri: redirectUri, ...client };
  const code = { code: secret('code'), code_verifier: verifier };
  await post(service, '/oauth/token', { ...grant, ...code, code: secret('unknown code') });
  const wrong = { client_secret: secret('wrong client secret') };
  await post(service, '/oauth/token', { ...grant, ...code, ...wrong });
  const first = await post(service, '/oauth/token', { ...grant, ...code });
  const refresh = { grant_type: 'refresh_token', refresh_token: String(first.refresh_token) };
  const refreshed = await post(service, '/oauth/token', { ...client, ...refresh });
  for (const [turn, answer] of Object.entries({ first, refreshed })) {
    for (const name of ['access_token', 'refresh_token', 'id_token']) {
      secrets[`${turn} ${name}`] = String(answer[name]);
    }
  }
}

/** In the header, and where tokens do not belong: in the address. */
async function use(service: RunningService): Promise<void> {
  for (const name of ['refreshed access_token', 'unknown token']) {
    const token = secret(name);
    for (const path of ['/', '/local', '/mcp', '/oauth/validate', '/oauth/userinfo', '/nowhere']) {
      const address = new URL(path, service.url);
      await fetch(address, { headers: { authorization: `Bearer ${token}` } });
      await fetch(new URL(`?access_token=${token}&api_key=${token}`, address));
    }
    await post(service, '/oauth/revoke', { token });
  }
}

describe.each(['platform', 'http'])('fovea %s', (kind) => {
  it('writes down no secret of those who come', async () => {
    const password = `${secret('password')}\n`;
    await command(['account', 'add', 'Ada Lovelace', '--email', 'ada@example.com'], password);
    const clientId = await register();
    await command(['application', 'list']);
    await command(['account', 'list']);
    const service = await startFovea([kind, '--port', '0'], environment());
    onTestFinished(service.stop);
    await signIn(service, clientId);
    await redeem(service, clientId);
    await use(service);
    outputs.push(await wordsOf(service.child.pid));
    await service.stop();
    const files = await filesBelow(folder);
    expect(files.filter(({ name }) => name.endsWith('.db')).length).toBeGreaterThanOrEqual(2);
    expect(Object.keys(secrets).length).toBeGreaterThanOrEqual(15);
    const output = { name: 'its output', content: service.output() };
    expect(leaks(secrets, [...outputs, output, ...files])).toEqual([]);
  }, 90_000);
});

// What the settings make of signing in: where tokens are kept, what is asked for, and which
// credential goes out.

import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openSignIn } from '../../src/bin/open-sign-in.ts';
import { connectUpstreamServices } from '../../src/bin/upstream-services.ts';
import { type Environment, readSettings, type Settings } from '../../src/config.ts';
import { workspace } from '../../src/contract/workspace.ts';
import { createLog } from '../../src/log.ts';
import { startExampleProvider } from '../fixtures/foreign-authorization-servers.ts';
import { json, startMisbehavingServer } from '../fixtures/scripted-http-server.ts';

const log = createLog('error');

async function start(variables: Environment = {}) {
  const home = await mkdtemp(join(tmpdir(), 'fovea-session-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const provider = await startExampleProvider();
  onTestFinished(() => provider.close());
  const service = await startMisbehavingServer(json(200, { workspace: 'acme' }));
  onTestFinished(() => service.close());
  const settings = readSettings({
    FOVEA_HOME: home,
    FOVEA_BASE_URL: service.url,
    FOVEA_AUTH_URL: provider.issuer,
    FOVEA_CLIENT_ID: provider.clientId,
    FOVEA_CREDENTIALS: 'file',
    FOVEA_SCOPES: 'openid',
    FOVEA_NO_BROWSER: '1',
    ...variables,
  });
  return { home, provider, service, settings };
}

type Started = Awaited<ReturnType<typeof start>>;

/** Signs in as `fovea sign-in --paste` does. */
async function signIn({ provider, settings }: Started) {
  const opened = openSignIn(settings, log, { listens: false });
  onTestFinished(() => opened.close());
  const started = await opened.flow.start();
  if (started.status !== 'pending') throw new Error(`it is ${started.status}`);
  await opened.flow.finishWith((await provider.agree(started.authorizationUrl)).href);
  return opened;
}

/** What goes out with a call. */
async function authorizationOf({ service, settings }: Started): Promise<string | undefined> {
  const services = connectUpstreamServices(settings, log);
  try {
    await (await services.client()).call(workspace.workspace_whoami, {});
  } finally {
    await services.close();
  }
  return service.seen.at(-1)?.headers.authorization;
}

test('calls carry the token of the sign-in, also those of a process that starts later', async () => {
  const all = await start();
  const { session } = await signIn(all);
  const token = (await session?.accessToken())?.reveal();
  expect(token).toMatch(/^\S{20,}$/);
  expect(await authorizationOf(all)).toBe(`Bearer ${token}`);
});

test('signed out, a call says what to do, and sends nothing', async () => {
  const all = await start();
  await expect(authorizationOf(all)).rejects.toMatchObject({
    code: 'unauthenticated',
    hint: 'Set FOVEA_API_KEY, or sign in with auth_sign_in. Nothing was sent.',
  });
  expect(all.service.seen).toEqual([]);
  expect(all.provider.requests).toEqual([]);
  expect(existsSync(join(all.home, 'credentials'))).toBe(false);
});

test('an API key that is set wins over a sign-in, and the status says so', async () => {
  const all = await start();
  await signIn(all);
  const settings = readSettings({
    FOVEA_HOME: all.home,
    FOVEA_BASE_URL: all.service.url,
    FOVEA_AUTH_URL: all.provider.issuer,
    FOVEA_CLIENT_ID: all.provider.clientId,
    FOVEA_CREDENTIALS: 'file',
    FOVEA_API_KEY: 'key-of-the-workspace',
  });
  expect(await authorizationOf({ ...all, settings })).toBe('Bearer key-of-the-workspace');
  const { flow } = openSignIn(settings, log);
  expect(await flow.status()).toMatchObject({
    status: 'signed_in',
    why: 'api_key',
    store: 'environment (FOVEA_API_KEY)',
  });
  // The earlier sign-in can be ended all the same.
  expect((await flow.signOut()).wasSignedIn).toBe(true);
  await expect(authorizationOf(all)).rejects.toMatchObject({ code: 'unauthenticated' });
});

test.each<[string, Partial<Settings>]>([
  ['FOVEA_PROFILE', { profile: 'work' }],
  ['FOVEA_CLIENT_ID', { clientId: 'other' }],
  ['FOVEA_BASE_URL', { baseUrl: 'https://evil.example' }],
  ['FOVEA_AUTH_URL', { authUrl: 'https://evil.example' }],
])('after a change of %s the tokens are not used', async (_, change) => {
  const all = await start();
  await signIn(all);
  const { session } = openSignIn({ ...all.settings, ...change }, log);
  expect(await session?.accessToken()).toBe(undefined);
  expect(await session?.end()).toEqual({ revoked: false, wasSignedIn: false });
  expect(await authorizationOf(all)).toMatch(/^Bearer /);
});

test('in memory means no file at all', async () => {
  const all = await start({ FOVEA_CREDENTIALS: 'memory' });
  const { session, flow } = await signIn(all);
  expect((await session?.accessToken())?.reveal()).toMatch(/^\S{20,}$/);
  expect(await flow.status()).toMatchObject({ status: 'signed_in', store: 'memory' });
  expect(await readdir(all.home)).toEqual([]);
  expect(await openSignIn(all.settings, log).session?.accessToken()).toBe(undefined);
  expect(await flow.signOut()).toMatchObject({ wasSignedIn: true });
  expect(await session?.accessToken()).toBe(undefined);
});

test.each([
  [
    'the tools that are offered',
    { FOVEA_TOOLSETS: 'workspace' },
    'openid profile email workspace:read',
  ],
  ['the setting, openid first', { FOVEA_SCOPES: 'image:read openid' }, 'openid image:read'],
  ['the setting, openid added', { FOVEA_SCOPES: 'image:read' }, 'openid image:read'],
])('what is asked for comes from %s', async (_, variables, expected) => {
  const all = await start({ FOVEA_SCOPES: '', ...variables });
  const { flow, close } = openSignIn(all.settings, log, { listens: false });
  const started = await flow.start();
  if (started.status !== 'pending') throw new Error(`it is ${started.status}`);
  expect(new URL(started.authorizationUrl).searchParams.get('scope')).toBe(expected);
  await close();
});

test('a scope that the specification does not have is refused before anything is sent', async () => {
  const all = await start({ FOVEA_SCOPES: 'openid admin:everything' });
  expect(() => openSignIn(all.settings, log)).toThrow(
    'FOVEA_SCOPES: has no such scope as admin:everything',
  );
  expect(all.provider.requests).toEqual([]);
});

test.each([
  ['image:raed', 'Did you mean image:read? decisions/scopes.md says which scope is for what.'],
  ['admin:everything', 'decisions/scopes.md says which scope is for what.'],
])('for the unknown scope %s the hint is: %s', async (scope, hint) => {
  const { settings } = await start({ FOVEA_SCOPES: scope });
  expect(() => openSignIn(settings, log)).toThrow(expect.objectContaining({ hint }));
});

test('the embedded platform needs no sign-in', async () => {
  const settings = readSettings({ FOVEA_HOME: tmpdir(), FOVEA_WORKSPACE: 'acme' });
  const { flow, session } = openSignIn(settings, log);
  expect(session).toBe(undefined);
  expect(await flow.start()).toEqual({
    status: 'signed_in',
    why: 'embedded',
    workspaceUrl: 'acme',
  });
});

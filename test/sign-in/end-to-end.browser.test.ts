// The whole way, as people go it: a model calls a tool, a person presses buttons in Chromium, and
// the tools work; against `fovea platform`, and through `fovea http` by a host's own OAuth client.

import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import list from '../../tools/list.json' with { type: 'json' };
import { hasChromium, inChromium, openBrowser } from '../event-store/chromium.ts';
import {
  authorizationUrl,
  postForm,
  refresh,
  signedIn,
  type TestApplication,
  validate,
} from '../fixtures/authorization-server.ts';
import { type Fovea, launchFovea } from '../fixtures/fovea.ts';
import { freePort, type RunningService, runFovea, startFovea } from '../fixtures/fovea-services.ts';
import { entryUnderTest, nodeUnderTest } from '../fixtures/under-test.ts';

const person = { name: 'Ada Lovelace', password: 'correct horse battery staple' };

let browser: Browser;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fovea-end-to-end-'));
  if (hasChromium) browser = await openBrowser();
});

afterAll(async () => {
  await browser?.close();
  for (const service of started.values()) await (await service).stop();
  await rm(folder, { recursive: true, force: true });
});

type Kind = 'platform' | 'http';

const started = new Map<Kind, Promise<RunningService>>();

/** One of each kind for all tests: every one of them brings a browser of its own. */
function serviceOf(kind: Kind): Promise<RunningService> {
  const service = started.get(kind) ?? startService(kind);
  started.set(kind, service);
  return service;
}

async function startService(kind: Kind): Promise<RunningService> {
  const home = await mkdtemp(join(folder, `${kind}-`));
  const environment = { HOME: home, FOVEA_HOME: home, FOVEA_WORKSPACE: 'acme' };
  const words = ['account', 'add', person.name, '--email', 'ada@example.com'];
  const added = await runFovea(words, environment, `${person.password}\n`);
  expect(added).toMatchObject({ code: 0, stderr: '' });
  return startFovea([kind, '--port', '0'], environment);
}

interface Tab {
  readonly page: Page;
  /** What no page of ours may cause: errors, warnings, dialogs, failed requests. */
  readonly problems: readonly string[];
  /** The origins that were asked for anything. */
  readonly origins: ReadonlySet<string>;
}

async function openTab(): Promise<Tab> {
  const context = await browser.newContext({ locale: 'en-GB' });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const problems: string[] = [];
  const origins = new Set<string>();
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) problems.push(message.text());
  });
  page.on('pageerror', ({ message }) => problems.push(message));
  page.on('requestfailed', (request) => problems.push(`failed: ${request.url()}`));
  page.on('dialog', async (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    await dialog.dismiss();
  });
  page.on('request', (request) => origins.add(new URL(request.url()).origin));
  return { page, problems, origins };
}

/** What a person does with the address: signs in, and presses a button. */
async function goThrough({ page }: Tab, address: string, decision: 'Allow' | 'Deny') {
  await page.goto(address);
  await page.getByLabel('Name or email').fill(person.name);
  await page.getByLabel('Password').fill(person.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'asks for access' }).waitFor();
  const permissions = await page.getByRole('main').textContent();
  await page.getByRole('button', { name: decision }).click();
  await page.waitForURL(/\/callback/);
  return { permissions, end: await page.textContent('body') };
}

/** A process as a host launches it. It opens no browser: what it gives is the address. */
async function launch(platform: RunningService, home: string): Promise<Fovea> {
  const fovea = await launchFovea(await settingsFor(platform, home));
  onTestFinished(() => fovea.close());
  return fovea;
}

async function settingsFor({ url }: RunningService, home: string) {
  return {
    FOVEA_BASE_URL: url,
    FOVEA_HOME: home,
    FOVEA_CREDENTIALS: 'file',
    FOVEA_NO_BROWSER: '1',
    FOVEA_REDIRECT_PORT: String(await freePort()),
  };
}

const project = { workspace: 'acme', name: 'Cells', type: 'object-detection', annotation: 'cells' };

const modes = [
  { mode: 'legacy', revision: '2025-11-25', name: 'Legacy cells', id: 'acme/legacy-cells' },
  { mode: 'auto', revision: '2026-07-28', name: 'Modern cells', id: 'acme/modern-cells' },
] as const;

describe.skipIf(!hasChromium)(`signing in, end to end, ${inChromium}`, () => {
  it('by the tools of a host over stdio, until signing out', async () => {
    const platform = await serviceOf('platform');
    const home = join(folder, 'home');
    const fovea = await launch(platform, home);
    expect((await fovea.client.listTools()).tools).toHaveLength(
      list.filter((tool) => !('appOnly' in tool)).length,
    );
    const refused = await fovea.call('projects_create', project);
    expect(refused).toMatchObject({ isError: true, data: { error: { code: 'unauthenticated' } } });
    expect(refused.text).toContain('auth_sign_in');

    const started = await fovea.ok('auth_sign_in');
    expect(started).toMatchObject({ status: 'pending' });
    expect(await fovea.ok('auth_status')).toMatchObject({ status: 'pending' });
    const tab = await openTab();
    const { permissions, end } = await goThrough(tab, String(started.authorization_url), 'Allow');
    expect(permissions).toContain('Ada Lovelace');
    expect(permissions).toContain('acme');
    expect(end).toContain('You are signed in to acme. You can close this window.');
    expect(tab.problems).toEqual([]);
    expect([...tab.origins]).toEqual([platform.url, new URL(tab.page.url()).origin]);

    const status = await fovea.ok('auth_status');
    expect(status).toMatchObject({
      status: 'signed_in',
      workspace_url: 'acme',
      profile: 'default',
      store: expect.stringContaining('encrypted file'),
      scopes: expect.arrayContaining(['openid', 'project:create']),
    });
    const minutes = (Date.parse(String(status.expires_at)) - Date.now()) / 60_000;
    expect(minutes).toBeGreaterThan(55);
    expect(minutes).toBeLessThanOrEqual(24 * 60);
    expect(await fovea.ok('projects_create', project)).toMatchObject({ id: 'acme/cells' });
    expect(await fovea.ok('auth_userinfo')).toMatchObject({ sub: expect.any(String) });
    expect(await fovea.ok('auth_sign_in')).toMatchObject({ status: 'signed_in' });

    const later = await launch(platform, home);
    expect(await later.ok('projects_get', { workspace: 'acme', project: 'cells' })).toBeTruthy();
    expect(await later.ok('auth_sign_out')).toMatchObject({ revoked: true, was_signed_in: true });
    // The other process has the same tokens, and now they are good for nothing.
    for (const each of [later, fovea]) {
      const after = await each.call('workspace_whoami');
      expect(after).toMatchObject({ isError: true, data: { error: { code: 'unauthenticated' } } });
      expect(await each.ok('auth_status')).toMatchObject({ status: 'signed_out' });
    }
  }, 90_000);

  it.each(modes)(
    'by a host that opens the address itself, mode $mode ($revision)',
    async ({ mode, revision, name, id }) => {
      const platform = await serviceOf('platform');
      const tab = await openTab();
      const client = new Client(
        { name: 'host', version: '1' },
        { versionNegotiation: { mode }, capabilities: { elicitation: { url: {} } } },
      );
      client.setRequestHandler('elicitation/create', async ({ params }) => {
        await goThrough(tab, 'url' in params ? String(params.url) : '', 'Allow');
        return { action: 'accept' };
      });
      const home = await mkdtemp(join(folder, 'host-'));
      const settings = await settingsFor(platform, home);
      await client.connect(
        new StdioClientTransport({
          command: nodeUnderTest,
          args: [entryUnderTest()],
          env: { PATH: '/usr/bin:/bin', HOME: home, ...settings },
        }),
      );
      onTestFinished(() => client.close());
      expect(client.getNegotiatedProtocolVersion()).toBe(revision);
      const call = (tool: string, args = {}) => client.callTool({ name: tool, arguments: args });
      const { structuredContent } = await call('auth_sign_in');
      expect(structuredContent).toMatchObject({ status: 'signed_in', workspace_url: 'acme' });
      expect(tab.problems).toEqual([]);
      const created = await call('projects_create', { ...project, name });
      expect(created.structuredContent).toMatchObject({ id });
    },
    90_000,
  );

  it('by a person who denies: nobody is signed in, and it can be tried anew', async () => {
    const platform = await serviceOf('platform');
    const fovea = await launch(platform, join(folder, 'denied'));
    const { authorization_url } = await fovea.ok('auth_sign_in');
    const tab = await openTab();
    const { end } = await goThrough(tab, String(authorization_url), 'Deny');
    expect(end).not.toContain('You are signed in');
    expect(tab.problems.filter((problem) => !problem.includes('status of 400'))).toEqual([]);
    const status = await fovea.ok('auth_status');
    expect(status).toMatchObject({ status: 'signed_out', error: expect.any(String) });
    const again = await fovea.ok('auth_sign_in');
    expect(again).toMatchObject({ status: 'pending' });
    expect(again.authorization_url).not.toBe(authorization_url);
  }, 90_000);

  it.each(['platform', 'http'] as const)(
    'by a program of others at fovea %s: code, token, refresh, revocation',
    async (kind) => {
      const service = await serviceOf(kind);
      const callback = await openCallback();
      const application: TestApplication = {
        id: 'fovea',
        secret: undefined,
        auth: 'none',
        redirectUri: callback.url,
      };
      const proof = authorizationUrl(service, application, { scope: 'openid project:read' });
      const tab = await openTab();
      await goThrough(tab, proof.url.href, 'Allow');
      expect(tab.problems).toEqual([]);
      const answer = await callback.answer;
      expect(answer.get('state')).toBe(proof.state);

      const redemption = {
        grant_type: 'authorization_code',
        code: answer.get('code') ?? '',
        redirect_uri: application.redirectUri,
        code_verifier: proof.verifier,
      };
      const first = signedIn(await postForm(`${service.url}/oauth/token`, application, redemption));
      const next = signedIn(await refresh(service, application, first.refreshToken));
      expect((await validate(service, next.accessToken)).body.active).toBe(true);
      const token = next.refreshToken;
      const revoked = await postForm(`${service.url}/oauth/revoke`, application, { token });
      expect(revoked.status).toBe(200);
      expect((await validate(service, next.accessToken)).body.active).toBe(false);
      expect((await refresh(service, application, token)).body.error).toBe('invalid_grant');
    },
    90_000,
  );

  it('by a host that speaks OAuth itself, to fovea http', async () => {
    const service = await serviceOf('http');
    const tab = await openTab();
    const { provider, answer, tokens } = await hostThatSignsIn(tab);
    const url = new URL(`${service.url}/mcp`);
    const client = () => new Client({ name: 'host', version: '1' });
    const first = new StreamableHTTPClientTransport(url, { authProvider: provider });
    await expect(client().connect(first)).rejects.toBeInstanceOf(UnauthorizedError);
    await first.finishAuth(await answer);
    expect(tab.problems).toEqual([]);

    const host = client();
    onTestFinished(() => host.close());
    await host.connect(new StreamableHTTPClientTransport(url, { authProvider: provider }));
    const { tools } = await host.listTools();
    const names = tools.map(({ name }) => name);
    expect(names).toContain('projects_create');
    for (const here of ['auth_sign_in', 'doctor', 'events_list', 'versions_preview']) {
      expect(names).not.toContain(here);
    }
    const created = await host.callTool({ name: 'projects_create', arguments: project });
    expect(created.structuredContent).toMatchObject({ id: 'acme/cells' });
    // An MCP client is asked again after a day, not after an hour.
    expect(tokens()?.expires_in).toBe(86_400);
  }, 90_000);
});

/** Where an application waits for the browser to come back, and what it brings. */
async function openCallback() {
  const url = `http://127.0.0.1:${await freePort()}/callback`;
  const { promise: answer, resolve: come } = Promise.withResolvers<URLSearchParams>();
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', url);
    response.writeHead(pathname === '/callback' ? 200 : 204).end('Thank you.');
    if (pathname === '/callback') come(searchParams);
  });
  server.listen(Number(new URL(url).port), '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url, answer };
}

/** The OAuth client of the SDK, with our built-in client, and Chromium as its user's browser. */
async function hostThatSignsIn(tab: Tab) {
  let verifier = '';
  let discovered: ReturnType<NonNullable<OAuthClientProvider['discoveryState']>>;
  let kept: Awaited<ReturnType<OAuthClientProvider['tokens']>>;
  const { url: redirectUrl, answer } = await openCallback();
  const provider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata: { redirect_uris: [redirectUrl] },
    clientInformation: () => ({ client_id: 'fovea' }),
    tokens: () => kept,
    saveTokens: (tokens) => {
      kept = tokens;
    },
    redirectToAuthorization: async (address) => {
      await goThrough(tab, address.href, 'Allow');
    },
    saveCodeVerifier: (value) => {
      verifier = value;
    },
    codeVerifier: () => verifier,
    saveDiscoveryState: (state) => {
      discovered = state;
    },
    discoveryState: () => discovered,
  };
  return { provider, answer, tokens: () => kept };
}

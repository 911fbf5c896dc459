// Secrets that are easy to find, and everything that anybody may read at the user's side: answers
// to the host, log lines at their loudest, crashes, command lines, files. Against services that
// repeat what they were sent, as some do in their errors.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../fixtures/fovea-services.ts';
import { killProcess } from '../fixtures/kill-process.ts';
import {
  type LyingServer,
  type Received,
  startScriptedAuthorizationServer,
} from '../fixtures/scripted-authorization-server.ts';
import { entryUnderTest } from '../fixtures/under-test.ts';
import { callTool, initialize, type RawServer } from '../mcp/raw-server.ts';
import { startServer } from '../mcp/raw-stdio.ts';
import { filesBelow, leaks, mark, type Place, wordsOf } from './secret-leaks.ts';

let folder: string;
let service: LyingServer;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fovea-canary-'));
  service = await startScriptedAuthorizationServer();
  onTestFinished(async () => {
    await service.close();
    await rm(folder, { recursive: true, force: true });
  });
});

/** Fails at once in whatever a library would have put secrets into. */
const crashOnSignal = `process.on('SIGUSR2', () => {
  const error = new Error('Request failed: ' + process.env.CRASH_WORDS);
  error.cause = { headers: { authorization: process.env.CRASH_WORDS } };
  Promise.reject(error);
  setImmediate(() => { throw error; });
});`;

async function launch(environment: Record<string, string>): Promise<RawServer> {
  const preload = join(folder, 'crash.mjs');
  await writeFile(preload, crashOnSignal);
  const server = startServer(
    {
      HOME: folder,
      FOVEA_HOME: join(folder, 'home'),
      FOVEA_BASE_URL: service.issuer,
      FOVEA_LOG: 'debug',
      FOVEA_NO_BROWSER: '1',
      NODE_OPTIONS: `--import ${preload}`,
      ...environment,
    },
    entryUnderTest(),
  );
  onTestFinished(() => killProcess(server.child));
  server.send(initialize('2025-11-25'));
  await server.answer(1);
  server.send({ method: 'notifications/initialized' });
  return server;
}

interface Outcome {
  readonly isError: boolean;
  readonly data: Readonly<Record<string, unknown>>;
}

type Call = (name: string, args?: object) => Promise<Outcome>;

/** Numbers the calls of a server, and gives their results. */
function caller(server: RawServer): Call {
  let id = 100;
  return async (name, args = {}) => {
    id += 1;
    server.send(callTool(id, name, args));
    const { result } = await server.answer(id);
    const { isError = false, structuredContent } = { ...Object(result) };
    return { isError: isError === true, data: { ...Object(structuredContent) } };
  };
}

async function crash(server: RawServer): Promise<void> {
  server.child.kill('SIGUSR2');
  await server.logged('Uncaught exception');
  await server.logged('Unhandled promise rejection');
}

async function placesOf(server: RawServer): Promise<readonly Place[]> {
  return [
    { name: 'stdout', content: server.lines.join('\n') },
    { name: 'stderr', content: server.log() },
    await wordsOf(server.child.pid),
    ...(await filesBelow(folder)),
  ];
}

/** Says again whatever it was sent, wherever an error has room for words. */
function repeating(status: number, error: string) {
  return ({ line, headers, body }: Received) => {
    const sent = `${line} ${headers.authorization ?? ''} ${body}`;
    const words = { message: sent, type: sent.slice(0, 60), hint: sent };
    const challenge = `Bearer error="invalid_token", error_description="${sent.slice(0, 400)}"`;
    return {
      status,
      answer: { error, error_description: sent, ...(error === '' && { error: words }) },
      headers: status === 401 ? { 'www-authenticate': challenge } : {},
    };
  };
}

/** The browser comes back with a code; gives the page. */
async function comeBack({ data }: Outcome, code: string): Promise<string> {
  const asked = new URL(String(data.authorization_url)).searchParams;
  const address = new URL(asked.get('redirect_uri') ?? '');
  const state = asked.get('state') ?? '';
  address.search = new URLSearchParams({ code, iss: service.issuer, state }).toString();
  return (await fetch(address)).text();
}

describe('a user who signs in to a service that repeats everything', () => {
  const clientSecret = mark('clientsecret');
  const code = mark('code');
  const first = { access_token: mark('access'), refresh_token: mark('refresh') };
  const second = { access_token: mark('accesstwo'), refresh_token: mark('refreshtwo') };
  const secrets: Record<string, string> = {
    'client secret': clientSecret,
    code,
    'access token': first.access_token,
    'refresh token': first.refresh_token,
    'second access token': second.access_token,
    'second refresh token': second.refresh_token,
  };

  /** A sign-in that the token endpoint refuses, and then one that it does not. */
  async function signIn(call: Call): Promise<string> {
    service.lies['/token'] = repeating(400, 'invalid_request');
    await comeBack(await call('auth_sign_in'), code);
    expect((await call('auth_status')).data).toMatchObject({ status: 'signed_out' });
    const started = await call('auth_sign_in');
    const nonce = new URL(String(started.data.authorization_url)).searchParams.get('nonce');
    const tokens = { ...service.tokens(nonce), ...first };
    service.lies['/token'] = () => tokens;
    service.lies['/oauth/validate'] = () => ({
      active: true,
      exp: Math.floor(Date.now() / 1_000) + 3_600,
      workspace_url: 'acme',
      scopes: ['openid', 'project:read'],
    });
    const page = await comeBack(started, code);
    expect(page).toContain('You are signed in');
    expect(leaks(secrets, [{ name: 'the callback page', content: page }])).toEqual([]);
    expect((await call('auth_status')).data).toMatchObject({ status: 'signed_in' });
    return String({ ...Object(tokens) }.id_token);
  }

  /** Work that is refused, refreshes that are refused, and one that is not. */
  async function work(call: Call): Promise<void> {
    service.lies['/userinfo'] = repeating(401, 'invalid_token');
    service.lies['/'] = repeating(401, '');
    for (const status of [400, 401, 500]) {
      service.lies['/token'] = repeating(status, 'invalid_request');
      for (const tool of ['workspace_whoami', 'auth_userinfo']) {
        expect(await call(tool)).toMatchObject({ isError: true });
      }
      await call('auth_status');
    }
    const facts = { token_type: 'Bearer', expires_in: 3_600, scope: 'openid project:read' };
    service.lies['/token'] = () => ({ ...facts, ...second });
    for (const tool of ['workspace_whoami', 'auth_userinfo', 'doctor', 'auth_status']) {
      await call(tool);
    }
  }

  it.each(['client_secret_post', 'client_secret_basic'])(
    'leaves no secret anywhere (%s)',
    async (auth) => {
      const server = await launch({
        FOVEA_CLIENT_ID: service.clientId,
        FOVEA_CLIENT_SECRET: clientSecret,
        FOVEA_CLIENT_AUTH: auth,
        FOVEA_CREDENTIALS: 'file',
        FOVEA_REDIRECT_PORT: String(await freePort()),
        CRASH_WORDS: `Bearer ${first.access_token} ${clientSecret}`,
      });
      const call = caller(server);
      const identityToken = await signIn(call);
      await work(call);
      await crash(server);
      const all = { ...secrets, 'identity token': identityToken };
      expect(leaks(all, await placesOf(server))).toEqual([]);
      service.lies['/token'] = repeating(400, 'invalid_grant');
      await call('workspace_whoami');
      service.lies['/revoke'] = repeating(400, 'invalid_request');
      await call('auth_sign_out');
      expect((await call('auth_status')).data).toMatchObject({ status: 'signed_out' });
      expect(leaksOnTheWire()).toEqual(Object.keys(secrets).map((name) => `${name} in wire`));
      server.endInput();
      expect(await server.exited()).toBe(0);
      expect(leaks(all, await placesOf(server))).toEqual([]);
    },
    60_000,
  );

  /** There they belong, as themselves: a search that finds nothing there would prove nothing. */
  function leaksOnTheWire(): readonly string[] {
    const wire = service.received.map(({ line, headers, body }) =>
      [line, headers.authorization, body].join(' '),
    );
    expect(wire.join('\n')).not.toContain('[secret]');
    return leaks(secrets, [{ name: 'wire', content: wire.join('\n') }]);
  }
});

describe('a user with a key', () => {
  it('finds it nowhere, whatever the service says', async () => {
    const secrets = { 'API key': mark('apikey') };
    const server = await launch({
      FOVEA_API_KEY: secrets['API key'],
      CRASH_WORDS: secrets['API key'],
    });
    const call = caller(server);
    for (const status of [400, 401, 403, 404, 500]) {
      for (const path of ['/', '/acme', '/acme/cells', '/videoinfer', '/videoinfer/']) {
        service.lies[path] = repeating(status, '');
      }
      await call('workspace_whoami');
      await call('workspace_get', { workspace: 'acme' });
      await call('projects_get', { workspace: 'acme', project: 'cells' });
      await call('video_inference_get', { job_id: 'j' });
    }
    const tools = ['auth_sign_in', 'auth_status', 'auth_userinfo', 'auth_sign_out', 'doctor'];
    for (const tool of tools) await call(tool);
    const wire = service.received.map(({ line, headers }) => `${line} ${headers.authorization}`);
    const found = leaks(secrets, [{ name: 'wire', content: wire.join('\n') }]);
    expect(found).toEqual(['API key in wire']);
    await crash(server);
    server.endInput();
    expect(await server.exited()).toBe(0);
    expect(leaks(secrets, await placesOf(server))).toEqual([]);
  }, 60_000);
});

// Access tokens at the platform: which are taken, from where, and for which workspace.

import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { AccessToken } from '../../../src/contract/access-token.ts';
import { startTestPlatform, type TestPlatform } from '../../fixtures/platform.ts';
import { createTestTokens } from '../test-tokens.ts';

const tokens = createTestTokens();
const scopes: ReadonlySet<string> = new Set(['workspace:read', 'project:create', 'project:read']);
let platform: TestPlatform;
let address = '';

beforeAll(async () => {
  platform = await startTestPlatform({
    verifyAccessToken: tokens.verify,
    issuer: () => address,
    onListening: async (url) => {
      address = url;
    },
  });
});

afterAll(() => platform.close());

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const issue = (changes: Partial<AccessToken> = {}) => tokens.issue({ scopes, ...changes });
const get = (path: string, token: string) => fetch(platform.url + path, { headers: bearer(token) });

describe('a token is taken', () => {
  test.each([
    ['that names no audience', () => undefined],
    ['that is for this platform', () => address],
  ])('%s', async (_name, audience) => {
    const answer = await get('/', issue({ audience: audience() }));
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ workspace: 'acme' });
  });

  test('by an operation that names no workspace, for the one of the token', async () => {
    const token = issue({ workspace: 'initech' });
    expect(await (await get('/', token)).json()).toMatchObject({ workspace: 'initech' });
  });
});

describe('401 for a token', () => {
  test.each<[string, () => string]>([
    ['that nobody issued', () => 'token-of-nobody'],
    ['that has ended', () => issue({ expiresAt: Date.now() - 1 })],
    ['for an MCP server', () => issue({ audience: 'http://127.0.0.1:8002/mcp' })],
    ['for an MCP server of this very address', () => issue({ audience: `${address}/mcp` })],
    ['for a service whose address begins alike', () => issue({ audience: `${address}0` })],
    ['for an empty audience', () => issue({ audience: '' })],
    ['of a workspace that another address hides', () => issue({ workspace: 'oauth' })],
  ])('%s', async (_name, token) => {
    const answer = await get('/', token());
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
    expect(await answer.json()).toMatchObject({ error: { type: 'unauthenticated' } });
  });

  test('that was revoked, with the next call', async () => {
    const token = issue();
    expect((await get('/', token)).status).toBe(200);
    tokens.revoke(token);
    expect((await get('/', token)).status).toBe(401);
  });

  test('that ends, to the millisecond', async () => {
    const end = Date.now() + 600_000;
    const token = issue({ expiresAt: end });
    vi.useFakeTimers({ toFake: ['Date'], now: end - 1 });
    try {
      expect((await get('/', token)).status).toBe(200);
      vi.setSystemTime(end);
      expect((await get('/', token)).status).toBe(401);
    } finally {
      vi.useRealTimers();
    }
  });

  test('where no sign-in service is known', async () => {
    const alone = await startTestPlatform();
    try {
      const answer = await fetch(alone.url, { headers: bearer(issue()) });
      expect(answer.status).toBe(401);
    } finally {
      await alone.close();
    }
  });

  test('and no error for the audience of a platform that knows no issuer', async () => {
    const alone = await startTestPlatform({ verifyAccessToken: tokens.verify });
    try {
      const call = (token: string) => fetch(alone.url, { headers: bearer(token) });
      expect((await call(issue({ audience: alone.url }))).status).toBe(401);
      expect((await call(issue())).status).toBe(200);
    } finally {
      await alone.close();
    }
  });
});

describe('a token outside the header is nobody’s', () => {
  const json = { 'content-type': 'application/json' };
  const project = { name: 'Cells', type: 'object-detection', annotation: 'cells' };
  const post = (headers: Record<string, string>, body: object, query = '') =>
    fetch(`${platform.url}/acme/projects${query}`, {
      method: 'POST',
      headers: { ...json, ...headers },
      body: JSON.stringify(body),
    });

  test.each<[string, (token: string) => Promise<Response>]>([
    ['in the query', (token) => fetch(`${platform.url}/?api_key=${token}`)],
    ['as access_token in the query', (token) => fetch(`${platform.url}/?access_token=${token}`)],
    ['in the query of a POST', (token) => post({}, project, `?api_key=${token}`)],
    ['in the body', (token) => post({}, { ...project, api_key: token })],
    ['as access_token in the body', (token) => post({}, { ...project, access_token: token })],
    ['in header and query', (token) => get(`/?api_key=${token}`, token)],
    ['in header and body', (token) => post(bearer(token), { ...project, api_key: token })],
    ['in a cookie', (token) => fetch(platform.url, { headers: { cookie: `token=${token}` } })],
    [
      'as password of Basic',
      (token) => {
        const authorization = `Basic ${Buffer.from(`ada:${token}`).toString('base64')}`;
        return fetch(platform.url, { headers: { authorization } });
      },
    ],
    ['in X-API-Key', (token) => fetch(platform.url, { headers: { 'x-api-key': token } })],
  ])('%s', async (_name, call) => {
    const answer = await call(issue());
    expect(answer.status).toBe(401);
    expect(await answer.text()).not.toContain('token-');
  });

  test('and is not even asked about', async () => {
    const before = tokens.asked();
    await fetch(`${platform.url}/?api_key=${issue()}`);
    await post({}, { ...project, api_key: issue() });
    expect(tokens.asked()).toBe(before);
  });
});

describe('the workspace of a token', () => {
  test('is the only one: 403 for another that is there, 404 for none', async () => {
    const token = issue({ workspace: 'globex' });
    expect((await get('/globex', token)).status).toBe(200);
    expect((await get('/acme', token)).status).toBe(403);
    expect((await get('/nobody', token)).status).toBe(404);
    expect((await get('/globex', issue())).status).toBe(403);
  });

  test('holds what its tokens make, and nothing of it is seen from another', async () => {
    const theirs = issue({ workspace: 'umbrella' });
    const made = await fetch(`${platform.url}/umbrella/projects`, {
      method: 'POST',
      headers: { ...bearer(theirs), 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Secret', type: 'object-detection', annotation: 'things' }),
    });
    expect(made.status).toBe(201);
    expect((await get('/umbrella/secret', theirs)).status).toBe(200);
    expect((await get('/umbrella/secret', issue())).status).toBe(403);
    expect((await get('/acme/secret', issue())).status).toBe(404);
    expect(await (await get('/acme', issue())).text()).not.toContain('Secret');
  });

  test('is made once, however many ask at once', async () => {
    const token = issue({ workspace: 'hooli' });
    const answers = await Promise.all(Array.from({ length: 20 }, () => get('/hooli', token)));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(await platform.query("SELECT slug FROM workspaces WHERE slug = 'hooli'")).toHaveLength(
      1,
    );
  });
});

describe('API keys', () => {
  test('are taken from header, query and body as ever, and never looked up as tokens', async () => {
    const { key, url } = platform;
    const before = tokens.asked();
    expect((await get('/', key)).status).toBe(200);
    expect((await fetch(`${url}/?api_key=${key}`)).status).toBe(200);
    expect((await get(`/?api_key=${key}`, key)).status).toBe(200);
    expect(tokens.asked()).toBe(before);
  });

  test('beside another credential are refused', async () => {
    const answer = await get(`/?api_key=${platform.key}`, issue());
    expect(answer.status).toBe(400);
  });
});

describe('a platform does not start', () => {
  test.each(['oauth', 'settings', '.well-known', 'health', 'dataset'])(
    'for the workspace %s',
    async (workspace) => {
      await expect(startTestPlatform({ workspace, inSources: true })).rejects.toMatchObject({
        code: 'invalid_input',
        message: `workspace: "${workspace}" is the path of something else`,
      });
    },
  );

  test('where the sign-in service cannot be opened, and its port is free again', async () => {
    let url = '';
    const start = startTestPlatform({
      onListening: async (listening) => {
        url = listening;
        throw new Error('cannot be opened');
      },
    });
    await expect(start).rejects.toThrow('cannot be opened');
    await expect(fetch(url)).rejects.toThrow();
  });
});

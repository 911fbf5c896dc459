// Who may call the platform, and what it says to the others (API 25.1 to 25.7).

import { afterAll, beforeAll, expect, it } from 'vitest';
import { platformOperations } from '../../../src/contract/index.ts';
import { startTestPlatform, type TestPlatform } from '../../fixtures/platform.ts';

let platform: TestPlatform;

beforeAll(async () => {
  platform = await startTestPlatform();
});

afterAll(() => platform.close());

/** The address of an operation with something plausible in every place. */
function addressOf(path: string): string {
  const places: Record<string, string> = { workspace: 'acme', version: '1' };
  return platform.url + path.replace(/\{(\w+)\}/g, (_, name) => places[name] ?? 'some-thing');
}

it('refuses every operation without a credential', async () => {
  for (const { id, method, path } of Object.values(platformOperations)) {
    const answer = await fetch(addressOf(path), { method });
    expect([id, answer.status]).toEqual([id, 401]);
    expect(await answer.json()).toMatchObject({ error: { type: 'unauthenticated' } });
  }
});

it('refuses a wrong key, in every place where a key may stand', async () => {
  const wrong = [
    fetch(platform.url, { headers: { authorization: 'Bearer wrong' } }),
    fetch(`${platform.url}/?api_key=wrong`),
    fetch(`${platform.url}/acme/projects`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ api_key: 'wrong', name: 'x', type: 'object-detection' }),
    }),
  ];
  for (const answer of await Promise.all(wrong)) expect(answer.status).toBe(401);
});

it('takes the key from the header, the query and the body of a POST', async () => {
  const { url, key } = platform;
  const header = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
  expect(await header.json()).toMatchObject({ workspace: 'acme' });
  expect((await fetch(`${url}/?api_key=${key}`)).status).toBe(200);
  const body = { api_key: key, name: 'By body', type: 'object-detection', annotation: 'x' };
  const created = await fetch(`${url}/acme/projects`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(created.status).toBe(201);
  expect(await created.json()).not.toHaveProperty('api_key');
});

it('keeps one workspace from another: 403 for one that is there, 404 for none', async () => {
  const other = await startTestPlatform({ data: platform.data, workspace: 'globex' });
  try {
    const headers = { authorization: `Bearer ${platform.key}` };
    const theirs = await fetch(`${platform.url}/globex`, { headers });
    expect(theirs.status).toBe(403);
    expect(await theirs.json()).toMatchObject({ error: { type: 'forbidden' } });
    expect((await fetch(`${platform.url}/nobody`, { headers })).status).toBe(404);
    expect((await fetch(`${other.url}/globex`, { headers })).status).toBe(200);
  } finally {
    await other.close();
  }
});

it('refuses a foreign Host and a foreign Origin', async () => {
  const { url, key } = platform;
  const foreign = await fetch(`${url}/?api_key=${key}`, {
    headers: { origin: 'https://evil.test' },
  });
  expect(foreign.status).toBe(403);
});

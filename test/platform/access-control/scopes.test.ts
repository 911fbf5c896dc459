// Each operation of the platform with the scope that it needs, with all others, and with none.

import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { embeddedOperations } from '../../../src/contract/index.ts';
import type { Operation } from '../../../src/contract/operation.ts';
import { scopes } from '../../../src/contract/scopes.ts';
import { startTestPlatform, type TestPlatform } from '../../fixtures/platform.ts';
import { createTestTokens } from '../test-tokens.ts';

const tokens = createTestTokens();
const all: readonly Operation[] = Object.values(embeddedOperations);
let platform: TestPlatform;

beforeAll(async () => {
  platform = await startTestPlatform({ verifyAccessToken: tokens.verify });
});

afterAll(() => platform.close());

/** The operation with something plausible in every place of its path, and an empty body. */
async function callWith(granted: readonly string[], { method, path, bodyType }: Operation) {
  const places: Record<string, string> = { workspace: 'acme', version: '1' };
  const address = path.replace(/\{(\w+)\}/g, (_, name) => places[name] ?? 'some-thing');
  const authorization = `Bearer ${tokens.issue({ scopes: new Set(granted) })}`;
  const isJson = bodyType === 'json' && method !== 'GET';
  const answer = await fetch(platform.url + address, {
    method,
    headers: { authorization, ...(isJson && { 'content-type': 'application/json' }) },
    ...(isJson && { body: '{}' }),
  });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

describe.each(all)('$id', (operation) => {
  const { id, scope } = operation;

  test('is answered for its scope alone', async () => {
    const { status, text } = await callWith([scope], operation);
    expect([200, 201, 202, 204, 400, 404, 415, 501]).toContain(status);
    expect(text).not.toContain('"forbidden"');
  });

  test('is refused with all other scopes, and the right one is named', async () => {
    const others = scopes.filter((other) => other !== scope);
    const { status, headers, text } = await callWith(others, operation);
    expect(status).toBe(403);
    expect(headers.get('www-authenticate')).toBe(
      `Bearer error="insufficient_scope", scope="${scope}"`,
    );
    expect(JSON.parse(text)).toEqual({
      error: {
        message: `${id} needs the scope ${scope}.`,
        type: 'forbidden',
        hint: `Sign in again with the scope ${scope}.`,
      },
    });
  });

  test('is refused without any scope', async () => {
    expect((await callWith([], operation)).status).toBe(403);
  });
});

test('a scope that only looks alike is none', async () => {
  const { workspace_get } = embeddedOperations;
  const alike = [
    'workspace',
    'workspace:*',
    'WORKSPACE:READ',
    'workspace:read ',
    '*',
    'workspace:',
  ];
  expect((await callWith(alike, workspace_get)).status).toBe(403);
});

describe('what a missing scope stops', () => {
  const post = (token: string, body: unknown) =>
    fetch(`${platform.url}/acme/projects`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });

  test('nothing is made', async () => {
    const reader = tokens.issue({ scopes: new Set(['workspace:read', 'project:read']) });
    const project = { name: 'Forbidden', type: 'object-detection', annotation: 'things' };
    expect((await post(reader, project)).status).toBe(403);
    const answer = await fetch(`${platform.url}/acme`, {
      headers: { authorization: `Bearer ${reader}` },
    });
    expect(await answer.json()).toMatchObject({ workspace: { projects: [] } });
  });

  test('it comes before what is wrong with the input, and before the workspace', async () => {
    const reader = tokens.issue({ scopes: new Set(['project:read']) });
    expect((await post(reader, { surprise: 1 })).status).toBe(403);
    const authorization = `Bearer ${reader}`;
    const nobody = await fetch(`${platform.url}/nobody`, { headers: { authorization } });
    expect(nobody.status).toBe(403);
    expect(nobody.headers.get('www-authenticate')).toContain('scope="workspace:read"');
  });

  test('it comes before the body is there', async () => {
    const reader = tokens.issue({ scopes: new Set(['project:read']) });
    const { host, port } = new URL(platform.url);
    const { promise, resolve } = Promise.withResolvers<string>();
    const socket = connect(Number(port), '127.0.0.1', () =>
      socket.write(
        `POST /dataset/cells/upload HTTP/1.1\r\nHost: ${host}\r\n` +
          `Authorization: Bearer ${reader}\r\nContent-Type: multipart/form-data; boundary=b\r\n` +
          'Content-Length: 15000000\r\n\r\n--b\r\n',
      ),
    );
    socket.once('data', (chunk) => resolve(chunk.toString('latin1')));
    expect(await promise).toMatch(/^HTTP\/1.1 403 /);
    socket.destroy();
  });
});

test('an API key needs no scope', async () => {
  const headers = { authorization: `Bearer ${platform.key}` };
  expect((await fetch(`${platform.url}/acme`, { headers })).status).toBe(200);
});

// Every place where a request may carry its credential, and what happens without a good one.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FoveaError } from '../../src/errors.ts';
import {
  bearer,
  json,
  key,
  send,
  sendRaw,
  startTestService,
  type TestService,
} from './test-service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});

afterAll(() => service.close());

const jsonType = { 'content-type': 'application/json' };

describe('a credential is taken', () => {
  test.each([
    ['as Bearer', '/', { authorization: `Bearer ${key}` }],
    ['as bearer', '/', { authorization: `bearer   ${key}` }],
    ['from the query', `/?api_key=${key}`, {}],
    ['from both, when they agree', `/?api_key=${key}&api_key=${key}`, bearer],
    ['from the query beside another scheme', `/?api_key=${key}`, { authorization: 'Basic eDp5' }],
    ['from the header beside an empty query value', '/?api_key=', bearer],
  ])('%s', async (_name, path, headers) => {
    const answer = await send(service, 'GET', path, headers);
    expect(answer.status).toBe(200);
    expect(json(answer)).toMatchObject({ principal: 'alice' });
  });

  test('from the JSON body of a POST, and taken out of it', async () => {
    const body = JSON.stringify({ name: 'Cells', api_key: key });
    const answer = await send(service, 'POST', '/ws/projects', jsonType, body);
    expect(answer.status).toBe(201);
    expect(json(answer)).toEqual({
      operation: 'create',
      input: { workspace: 'ws', name: 'Cells' },
      principal: 'alice',
    });
  });

  test('from body and header, when they agree', async () => {
    const body = JSON.stringify({ name: 'Cells', api_key: key });
    const answer = await send(service, 'POST', '/ws/projects', { ...jsonType, ...bearer }, body);
    expect(answer.status).toBe(201);
  });
});

describe('401, and no more than the scheme,', () => {
  test.each([
    ['for nothing at all', 'GET', '/', {}, ''],
    ['for another scheme', 'GET', '/', { authorization: `Basic ${key}` }, ''],
    ['for no scheme', 'GET', '/', { authorization: key }, ''],
    ['for two words', 'GET', '/', { authorization: `Bearer ${key} more` }, ''],
    ['for an empty key', 'GET', '/?api_key=', { authorization: 'Bearer ' }, ''],
    ['for a body without a key', 'POST', '/ws/projects', jsonType, '{"name":"Cells"}'],
    ['for a key in the body of a DELETE', 'DELETE', '/ws/cells', jsonType, `{"api_key":"${key}"}`],
  ])('%s', async (_name, method, path, headers, body) => {
    const answer = await send(service, method, path, headers, body);
    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toBe('Bearer');
    expect(json(answer)).toMatchObject({ error: { type: 'unauthenticated' } });
  });
});

describe('401 that calls the credential invalid', () => {
  test.each([
    ['for an unknown key', 'GET', '/', { authorization: 'Bearer nobody' }, ''],
    ['for an unknown key in the query', 'GET', '/?api_key=nobody', {}, ''],
    ['for a key that only starts well', 'GET', '/', { authorization: `Bearer ${key}x` }, ''],
    ['for an unknown key in the body', 'POST', '/ws/projects', jsonType, '{"api_key":"nobody"}'],
  ])('%s', async (_name, method, path, headers, body) => {
    const answer = await send(service, method, path, headers, body);
    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toBe('Bearer error="invalid_token"');
    expect(json(answer)).toMatchObject({ error: { type: 'unauthenticated' } });
    expect(answer.text).not.toContain('nobody');
  });

  test('comes before the body is there, and before it is judged', async () => {
    const head =
      `POST /dataset/cells/upload HTTP/1.1\r\nHost: 127.0.0.1:${service.port}\r\n` +
      'Authorization: Bearer nobody\r\nContent-Type: multipart/form-data; boundary=b\r\n' +
      'Content-Length: 90000000\r\n\r\n--b\r\n';
    expect(await sendRaw(service, head)).toMatch(/^HTTP\/1.1 401 /);
    const headers = { ...jsonType, authorization: 'Bearer nobody' };
    const broken = await send(service, 'POST', '/ws/projects', headers, '{"name":');
    expect(broken.status).toBe(401);
    const wrongType = await send(service, 'POST', '/ws/projects', { 'content-type': 'a/b' }, 'x');
    expect(wrongType.status).toBe(401);
  });
});

describe('400 for two different credentials', () => {
  test.each([
    ['header and query', 'GET', '/?api_key=key-of-bob', bearer, ''],
    ['two in the query', 'GET', `/?api_key=${key}&api_key=key-of-bob`, {}, ''],
    [
      'header and body',
      'POST',
      '/ws/projects',
      { ...jsonType, ...bearer },
      '{"name":"Cells","api_key":"key-of-bob"}',
    ],
  ])('%s', async (_name, method, path, headers, body) => {
    const answer = await send(service, method, path, headers, body);
    expect(answer.status).toBe(400);
    expect(json(answer)).toMatchObject({
      error: { message: 'api_key: the request carries two different credentials, send one' },
    });
    expect(answer.text).not.toContain('key-of');
  });

  test('two headers', async () => {
    const request =
      `GET / HTTP/1.1\r\nHost: 127.0.0.1:${service.port}\r\nConnection: close\r\n` +
      `Authorization: Bearer ${key}\r\nAuthorization: Bearer key-of-bob\r\n\r\n`;
    expect(await sendRaw(service, request)).toMatch(/^HTTP\/1.1 400 /);
  });

  test('a key in the body that is no text', async () => {
    const body = '{"name":"Cells","api_key":7}';
    const answer = await send(service, 'POST', '/ws/projects', jsonType, body);
    expect(answer.status).toBe(400);
    expect(json(answer)).toMatchObject({ error: { message: 'api_key: expected a text' } });
  });
});

describe('a known credential', () => {
  test.each([
    ['only-alice', key, 200],
    ['only-alice', 'key-of-bob', 403],
    ['hidden', key, 404],
  ])('on workspace %s with %s: %i', async (workspace, token, status) => {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await send(service, 'GET', `/${workspace}`, headers);
    expect(answer.status).toBe(status);
  });

  test('is checked against the input, so a wrong input comes first', async () => {
    const answer = await send(service, 'GET', '/hidden?count=many', bearer);
    expect(answer.status).toBe(400);
  });
});

describe('the place of a credential', () => {
  const places: string[] = [];
  let placed: TestService;

  beforeAll(async () => {
    placed = await startTestService({
      authenticate: async (presented, place) => {
        if (presented) places.push(place);
        return presented?.reveal() === key ? 'alice' : undefined;
      },
    });
  });

  afterAll(() => placed.close());

  test.each<[string, string, string, Record<string, string>, string, readonly string[]]>([
    ['header', 'GET', '/', bearer, '', ['header']],
    ['query', 'GET', `/?api_key=${key}`, {}, '', ['parameter']],
    ['header and query', 'GET', `/?api_key=${key}`, bearer, '', ['parameter']],
    ['header beside an empty query value', 'GET', '/?api_key=', bearer, '', ['header']],
    ['body', 'POST', '/ws/projects', jsonType, `{"name":"C","api_key":"${key}"}`, ['parameter']],
    [
      ...(['header and body', 'POST', '/ws/projects', { ...jsonType, ...bearer }] as const),
      `{"name":"C","api_key":"${key}"}`,
      ['header', 'parameter'],
    ],
    ['header of an upload', 'POST', '/dataset/cells/upload', bearer, '', ['header']],
  ])('%s', async (_name, method, path, headers, body, expected) => {
    places.length = 0;
    await send(placed, method, path, headers, body);
    expect(places).toEqual(expected);
  });
});

describe('a credential that is not for an operation', () => {
  const seen: string[] = [];
  let gated: TestService;

  beforeAll(async () => {
    gated = await startTestService({
      checkScope: (principal, { id }) => {
        seen.push(`${principal} ${id}`);
        if (id !== 'create' && id !== 'upload') return;
        throw new FoveaError('forbidden', `${id} needs the scope project:create.`, {
          challenge: { error: 'insufficient_scope', scope: 'project:create' },
        });
      },
    });
  });

  afterAll(() => gated.close());

  test.each([
    ['header', '/ws/projects', { ...jsonType, ...bearer }, '{"name":"Cells"}'],
    ['query', `/ws/projects?api_key=${key}`, jsonType, '{"name":"Cells"}'],
    ['body', '/ws/projects', jsonType, `{"name":"Cells","api_key":"${key}"}`],
    ['header, before a wrong body', '/ws/projects', { ...jsonType, ...bearer }, '{"name":'],
  ])('is refused with the scope as challenge: %s', async (_name, path, headers, body) => {
    const answer = await send(gated, 'POST', path, headers, body);
    expect(answer.status).toBe(403);
    expect(answer.headers['www-authenticate']).toBe(
      'Bearer error="insufficient_scope", scope="project:create"',
    );
    expect(json(answer)).toEqual({
      error: { message: 'create needs the scope project:create.', type: 'forbidden' },
    });
  });

  test('is refused before the body is there', async () => {
    const head =
      `POST /dataset/cells/upload HTTP/1.1\r\nHost: 127.0.0.1:${gated.port}\r\n` +
      `Authorization: Bearer ${key}\r\nContent-Type: multipart/form-data; boundary=b\r\n` +
      'Content-Length: 90000000\r\n\r\n--b\r\n';
    expect(await sendRaw(gated, head)).toMatch(/^HTTP\/1.1 403 /);
  });

  test('is asked about only once it is known whose it is', async () => {
    seen.length = 0;
    await send(gated, 'GET', '/', { authorization: 'Bearer nobody' });
    await send(gated, 'GET', '/');
    expect(seen).toEqual([]);
    expect((await send(gated, 'GET', '/', bearer)).status).toBe(200);
    expect(seen).toEqual(['alice root']);
  });
});

test('a 403 for another reason has no challenge', async () => {
  const headers = { authorization: 'Bearer key-of-bob' };
  const answer = await send(service, 'GET', '/only-alice', headers);
  expect(answer.status).toBe(403);
  expect(answer.headers).not.toHaveProperty('www-authenticate');
});

test('no answer and no log line shows a credential', async () => {
  await send(service, 'GET', `/crash?api_key=${key}`);
  expect(service.logLines.length).toBeGreaterThan(0);
  expect(service.logLines.join('')).not.toContain(key);
});

// JSON and raw bodies, good and bad.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bearer, json, send, sendRaw, startTestService, type TestService } from './test-service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});

afterAll(() => service.close());

function post(path: string, type: string | undefined, body: string | Buffer) {
  const headers = { ...bearer, ...(type !== undefined && { 'content-type': type }) };
  return send(service, 'POST', path, headers, body);
}

const create = (body: string | Buffer, type: string | undefined = 'application/json') =>
  post('/ws/projects', type, body);

describe('a JSON body is read', () => {
  test.each([
    ['plain', '{"name":"Cells"}', 'Cells'],
    ['with a byte order mark', '\uFEFF{"name":"Cells"}', 'Cells'],
    ['with escapes', String.raw`{"name":"a\"\\\u00e9,[{"}`, 'a"\\é,[{'],
    [
      'with escapes behind a long text',
      String.raw`{"name":"${'n'.repeat(200)}\"\\${'['.repeat(100)}"}`,
      `${'n'.repeat(200)}"\\${'['.repeat(100)}`,
    ],
    ['with the last of two equal names', '{"name":"a","name":"b"}', 'b'],
  ])('%s', async (_name, body, name) => {
    const answer = await create(body);
    expect(answer.status).toBe(201);
    expect(json(answer)).toMatchObject({ input: { workspace: 'ws', name } });
  });

  test.each([
    'application/json; charset=utf-8',
    'Application/JSON;charset="UTF-8"',
    ' application/json ',
  ])('as "%s"', async (type) => {
    expect((await create('{"name":"Cells"}', type)).status).toBe(201);
  });

  test('as an empty object when there is none', async () => {
    const none = await send(service, 'POST', '/videoinfer/', bearer);
    expect(none.status).toBe(200);
    const chunked = await sendRaw(
      service,
      `POST /videoinfer/?api_key=key-of-alice HTTP/1.1\r\nHost: 127.0.0.1:${service.port}\r\n` +
        'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n' +
        'Connection: close\r\n\r\n0\r\n\r\n',
    );
    expect(chunked).toMatch(/^HTTP\/1.1 200 /);
  });
});

describe('a JSON body is refused with 400', () => {
  test.each([
    ['cut off', '{"name":', 'The body is not valid JSON in UTF-8.'],
    ['with a comma too many', '{"name":"a",}', 'The body is not valid JSON in UTF-8.'],
    ['of two values', '{}{}', 'The body is not valid JSON in UTF-8.'],
    [
      'of broken UTF-8',
      Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]),
      'The body is not valid JSON in UTF-8.',
    ],
    ['that is an array', '[]', 'The body must be a JSON object.'],
    ['that is null', 'null', 'The body must be a JSON object.'],
    ['that is a text', '"name"', 'The body must be a JSON object.'],
    ['33 levels deep', '['.repeat(33), 'The body is nested deeper than 32 levels.'],
    ['100,000 levels deep', '{"a":'.repeat(100_000), 'The body is nested deeper than 32 levels.'],
    [
      'with __proto__',
      '{"name":"a","__proto__":{}}',
      '__proto__: is not allowed as the name of a member',
    ],
    [
      'with a hidden __proto__ inside',
      String.raw`{"name":"a","b":[{"\u005f_proto__":1}]}`,
      '__proto__: is not allowed as the name of a member',
    ],
    [
      'with a hidden __proto__ behind a long text',
      String.raw`{"name":"${'n'.repeat(200)}\n","b":[{"\u005f_proto__":1}]}`,
      '__proto__: is not allowed as the name of a member',
    ],
    [
      '33 levels deep behind a long text',
      String.raw`{"name":"${'n'.repeat(200)}\"","b":${'['.repeat(33)}`,
      'The body is nested deeper than 32 levels.',
    ],
  ])('%s', async (_name, body, message) => {
    const answer = await create(body);
    expect(answer.status).toBe(400);
    expect(json(answer)).toMatchObject({ error: { message, type: 'invalid_input' } });
  });

  test('with an unknown member, naming the nearest known one', async () => {
    const answer = await create('{"name":"Cells","licence":"MIT"}');
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('licence');
    expect(answer.text).toMatch(/\blicense\b/);
  });

  test('with every problem at once, in path, query and body', async () => {
    const answer = await post('/ws/projects?page=1', 'application/json', '{"name":7}');
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('name: ');
    expect(answer.text).toContain('page: ');
  });

  test('with a member that belongs in the path', async () => {
    const answer = await create('{"name":"Cells","workspace":"other"}');
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('workspace: ');
  });
});

test('a parameter of another type is refused', async () => {
  const answer = await send(service, 'GET', '/ws/cells/latest', bearer);
  expect(answer.status).toBe(400);
  expect(answer.text).toContain('version: ');
});

describe('a body is refused with 413', () => {
  test('when its declared length is above the limit, before it is sent', async () => {
    const head =
      `POST /ws/projects HTTP/1.1\r\nHost: 127.0.0.1:${service.port}\r\n` +
      'Authorization: Bearer key-of-alice\r\nContent-Type: application/json\r\n' +
      'Content-Length: 99000000\r\n\r\n{';
    expect(await sendRaw(service, head)).toMatch(/^HTTP\/1.1 413 /);
  });

  test('and a client that sends all of it and closes then reads so', async () => {
    const head =
      `POST /ws/projects HTTP/1.1\r\nHost: 127.0.0.1:${service.port}\r\nConnection: close\r\n` +
      'Authorization: Bearer key-of-alice\r\nContent-Type: application/json\r\n' +
      'Content-Length: 30000000\r\n\r\n';
    const whole = Buffer.concat([Buffer.from(head), Buffer.alloc(30_000_000, ' ')]);
    const answer = await sendRaw(service, whole);
    expect(answer).toMatch(/^HTTP\/1.1 413 .*"too_large"/s);
    expect(answer).toContain('Connection: close');
  });

  test('when it has too many members', async () => {
    const answer = await create(`{"name":[${'0,'.repeat(12_000)}0]}`);
    expect(answer.status).toBe(413);
    expect(json(answer)).toMatchObject({
      error: { message: 'The body has more than 12000 values.', type: 'too_large' },
    });
  });
});

describe('a body of another type is refused with 415, naming the right one', () => {
  test.each([
    ['/ws/projects', undefined, 'application/json'],
    ['/ws/projects', 'text/plain', 'application/json'],
    ['/ws/projects', 'multipart/form-data; boundary=b', 'application/json'],
    ['/ws/projects', 'application/x-www-form-urlencoded', 'application/json'],
    ['/ws/projects', 'application/jsonx', 'application/json'],
    ['/ws/projects', 'application/json\tx', 'application/json'],
    ['/ws/projects', 'application/json; charset=utf-16', 'application/json'],
    ['/ws/projects', 'json', 'application/json'],
    ['/videoinfer/', 'text/plain', 'application/json'],
    ['/dataset/cells/upload', 'application/json', 'multipart/form-data'],
    ['/dataset/cells/upload', 'image/png', 'multipart/form-data'],
  ])('%s as %s', async (path, type, right) => {
    const answer = await post(path, type, '{"name":"Cells"}');
    expect(answer.status).toBe(415);
    expect(json(answer)).toMatchObject({
      error: { type: 'unsupported_media', hint: `Send it as ${right}.` },
    });
  });

  test('also one that is compressed', async () => {
    const headers = { ...bearer, 'content-type': 'application/json', 'content-encoding': 'gzip' };
    expect((await send(service, 'POST', '/ws/projects', headers, '{}')).status).toBe(415);
  });
});

describe('a raw body', () => {
  test('of text fills its member', async () => {
    const answer = await post('/dataset/cells/annotate/i1', 'text/plain', '0 0.5 0.5 1 1\né');
    expect(answer.status).toBe(200);
    expect(json(answer)).toMatchObject({ input: { annotationFile: '0 0.5 0.5 1 1\né' } });
  });

  test('of broken text is refused', async () => {
    const answer = await post('/dataset/cells/annotate/i1', 'text/plain', Buffer.from([0xff]));
    expect(answer.status).toBe(400);
  });

  test.each([
    ['application/x-www-form-urlencoded', 'aGVsbG8=', 'hello'],
    ['application/x-www-form-urlencoded', 'aGVsbG8%3D', 'hello'],
    ['application/x-www-form-urlencoded', '+/+/', '\u00fb\u00ff\u00bf'],
    ['text/plain', 'aGVs\r\nbG8', 'hello'],
  ])('as %s of base64 is a file', async (type, body, text) => {
    const answer = await post('/dataset/cells/upload?name=a.png', type, body);
    expect(answer.status).toBe(200);
    expect(json(answer)).toMatchObject({ input: { name: 'a.png' }, file: { name: 'file', text } });
  });

  test.each(['no base64!', 'aGVsbG8=aGVsbG8=', '=', '%zz'])('"%s" is no base64', async (body) => {
    const answer = await post('/dataset/cells/upload', 'application/x-www-form-urlencoded', body);
    expect(answer.status).toBe(400);
    expect(json(answer)).toMatchObject({
      error: { message: 'file: expected the bytes of the file as base64 text' },
    });
  });

  test('of more base64 than a file may have is 413', async () => {
    const body = Buffer.alloc(29_000_000, 'A');
    const answer = await post('/dataset/cells/upload', 'text/plain', body);
    expect(answer.status).toBe(413);
  });
});

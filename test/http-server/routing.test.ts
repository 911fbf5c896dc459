// Which operation a method and a path reach, and what a path without one answers.

import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  bearer,
  json,
  send,
  sendRaw,
  startTestService,
  type TestService,
  testRoutes,
} from './test-service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService({ routes: testRoutes, allowedHosts: ['fovea.example.org'] });
});

afterAll(() => service.close());

describe('a path', () => {
  test.each([
    ['GET', '/', 'root', undefined],
    ['GET', '/ws', 'workspace', { workspace: 'ws' }],
    ['GET', '/ws/', 'workspace', { workspace: 'ws' }],
    [
      'GET',
      '/ws?count=3&regenerate=true',
      'workspace',
      { workspace: 'ws', count: 3, regenerate: true },
    ],
    ['GET', '/ws/api-keys', 'keys', { workspace: 'ws' }],
    ['GET', '/ws/api-key', 'project', { workspace: 'ws', project: 'api-key' }],
    ['GET', '/ws/projects', 'project', { workspace: 'ws', project: 'projects' }],
    ['GET', '/ws/cells/3', 'version', { workspace: 'ws', project: 'cells', version: 3 }],
    ['GET', '/ws/upload/3', 'version', { workspace: 'ws', project: 'upload', version: 3 }],
    [
      'GET',
      '/ws/cells/3/coco',
      'exported',
      { workspace: 'ws', project: 'cells', version: 3, format: 'coco' },
    ],
    [
      'GET',
      '/ws/upload/3/coco',
      'exported',
      { workspace: 'ws', project: 'upload', version: 3, format: 'coco' },
    ],
    ['GET', '/ws/upload/zip/t-1', 'zipStatus', { workspace: 'ws', taskId: 't-1' }],
    ['POST', '/ws/cells/upload/zip', 'zip', { workspace: 'ws', project: 'cells' }],
    ['POST', '/dataset/cells/upload/zip', 'zip', { workspace: 'dataset', project: 'cells' }],
    ['GET', '/videoinfer/', 'video', {}],
    ['GET', '/videoinfer', 'video', {}],
    ['POST', '/videoinfer/', 'startVideo', {}],
    ['GET', '/a%2Fb/c%20d', 'project', { workspace: 'a/b', project: 'c d' }],
    ['GET', '/%252F/%C3%A9', 'project', { workspace: '%2F', project: 'é' }],
    ['GET', '/a.b/c-d_e', 'project', { workspace: 'a.b', project: 'c-d_e' }],
    ['GET', '/ws/__proto__', 'project', { workspace: 'ws', project: '__proto__' }],
  ])('%s %s', async (method, path, operation, input) => {
    const answer = await send(service, method, path, bearer);
    expect(answer.status).toBe(200);
    expect(json(answer)).toEqual(
      expect.objectContaining(input ? { operation, input } : { operation }),
    );
  });
});

describe('no operation', () => {
  test.each([
    ['GET', '/a/b/c/d/e', 404, undefined],
    ['GET', '//b', 404, undefined],
    ['GET', '/ws//3', 404, undefined],
    ['PURGE', '/a/b/c/d/e', 404, undefined],
    ['DELETE', '/ws', 405, 'GET, HEAD'],
    ['OPTIONS', '/ws/cells', 405, 'GET, HEAD, DELETE'],
    ['PUT', '/videoinfer/', 405, 'GET, HEAD, POST'],
  ])('%s %s', async (method, path, status, allow) => {
    const answer = await send(service, method, path, bearer);
    expect(answer.status).toBe(status);
    expect(answer.headers.allow).toBe(allow);
    const type = status === 404 ? 'not_found' : 'method_not_allowed';
    expect(json(answer)).toMatchObject({ error: { type } });
  });

  test.each(['/%', '/ws/%zz', '/%E9', '/%C0%AF'])('%s is no path', async (path) => {
    const answer = await send(service, 'GET', path, bearer);
    expect(answer.status).toBe(400);
    expect(json(answer)).toEqual({
      error: {
        message: 'path: expected a path that starts with a slash and is percent-encoded UTF-8',
        type: 'invalid_input',
      },
    });
  });
});

test('HEAD is GET without the body, and needs a credential like it', async () => {
  const get = await send(service, 'GET', '/ws/cells', bearer);
  const head = await send(service, 'HEAD', '/ws/cells', bearer);
  expect(head).toMatchObject({ status: 200, text: '' });
  expect(head.headers['content-length']).toBe(get.headers['content-length']);
  expect((await send(service, 'HEAD', '/ws/cells')).status).toBe(401);
});

test('every answer is JSON that no browser interprets and no cache keeps', async () => {
  const answer = await send(service, 'GET', '/', bearer);
  expect(answer.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  });
});

describe('a raw route', () => {
  test('gets its parameters and the principal', async () => {
    const answer = await send(service, 'GET', '/blobs/ab%2Fc', bearer);
    expect(answer).toMatchObject({ status: 200, text: 'ab/c for alice' });
  });

  test('needs a credential', async () => {
    const answer = await send(service, 'GET', '/blobs/abc');
    expect(answer.status).toBe(401);
  });

  test('needs none when it is open', async () => {
    const body = Buffer.alloc(300_000);
    const answer = await send(service, 'PUT', '/uploads/t', {}, body);
    expect(answer).toMatchObject({ status: 200, text: '300000' });
  });

  test.each([
    ['GET', '/blobs', 404, undefined],
    ['GET', '/blobs/', 404, undefined],
    ['GET', '/blobs/a/3', 404, undefined],
    ['GET', '/blobs/a/3/coco', 404, undefined],
    ['GET', '/%62lobs/a/3', 404, undefined],
    ['DELETE', '/blobs/a', 405, 'GET, HEAD'],
    ['POST', '/blobs/projects', 405, 'GET, HEAD'],
    ['GET', '/uploads/t', 405, 'PUT'],
    ['HEAD', '/uploads/t', 405, 'PUT'],
    ['DELETE', '/uploads/t', 405, 'PUT'],
    ['POST', '/uploads/cells/upload/zip', 404, undefined],
    ['GET', '/Blobs/a', 200, undefined],
    ['GET', '/blobs2/a', 200, undefined],
  ])('has its first segment for itself: %s %s', async (method, path, status, allow) => {
    const answer = await send(service, method, path, bearer);
    expect(answer.status).toBe(status);
    expect(answer.headers.allow).toBe(allow);
  });

  test('may throw before it answers', async () => {
    const answer = await send(service, 'PUT', '/uploads/wrong', {}, 'text');
    expect(answer.status).toBe(404);
    expect(json(answer)).toMatchObject({ error: { message: 'There is no upload "wrong".' } });
  });
});

test('the address of a service behind a proxy is its public one', async () => {
  const publicUrl = 'https://fovea.example.org';
  const proxied = await startTestService({ publicUrl });
  try {
    expect(json(await send(proxied, 'GET', '/', bearer))).toMatchObject({ origin: publicUrl });
  } finally {
    await proxied.close();
  }
});

describe('Host and Origin', () => {
  test.each([
    ['127.0.0.1:PORT', undefined, 200],
    ['localhost:PORT', undefined, 200],
    ['LOCALHOST:PORT', undefined, 200],
    ['[::1]:PORT', undefined, 200],
    ['fovea.example.org', undefined, 200],
    ['fovea.example.org', 'https://fovea.example.org', 200],
    ['localhost:PORT', 'http://127.0.0.1:PORT', 200],
    ['127.0.0.1', undefined, 403],
    ['127.0.0.1:1', undefined, 403],
    ['0.0.0.0:PORT', undefined, 403],
    ['localhost.:PORT', undefined, 403],
    ['evil.example', undefined, 403],
    ['evil.example:PORT', 'http://evil.example:PORT', 403],
    ['fovea.example.org:PORT', undefined, 200],
    ['fovea.example.org:1', undefined, 403],
    ['127.0.0.1.evil.example:PORT', undefined, 403],
    ['127.0.0.1:PORT', 'null', 403],
    ['127.0.0.1:PORT', '', 403],
    ['127.0.0.1:PORT', 'http://evil.example', 403],
    ['127.0.0.1:PORT', 'https://127.0.0.1:PORT', 403],
    ['127.0.0.1:PORT', 'http://localhost:1', 403],
  ])('%s with Origin %s', async (host, origin, status) => {
    const port = String(service.port);
    const headers = {
      ...bearer,
      host: host.replace('PORT', port),
      ...(origin !== undefined && { origin: origin.replace('PORT', port) }),
    };
    const answer = await send(service, 'GET', '/', headers);
    expect(answer.status).toBe(status);
  });

  test('are judged before the path, and before the credential', async () => {
    const answer = await send(service, 'GET', '/a/b/c/d/e', { host: 'evil.example' });
    expect(answer.status).toBe(403);
  });

  test('make the address that the handler links to', async () => {
    const headers = { ...bearer, host: `localhost:${service.port}` };
    const answer = await send(service, 'GET', '/', headers);
    expect(json(answer)).toMatchObject({ origin: `http://localhost:${service.port}` });
  });

  test('are refused when they come twice or not at all', async () => {
    const host = `Host: 127.0.0.1:${service.port}\r\n`;
    const twice = `GET / HTTP/1.1\r\n${host}Host: evil.example\r\nConnection: close\r\n\r\n`;
    expect(await sendRaw(service, twice)).toMatch(/^HTTP\/1.1 403 /);
    const none = 'GET / HTTP/1.0\r\n\r\n';
    expect(await sendRaw(service, none)).toMatch(/^HTTP\/1.1 403 /);
  });
});

describe('what is not HTTP', () => {
  const host = () => `Host: 127.0.0.1:${service.port}\r\n`;

  test.each([
    ['garbage', () => 'hello\r\n\r\n', 400],
    ['a broken header', () => `GET / HTTP/1.1\r\n${host()}a b: c\r\n\r\n`, 400],
    [
      'two lengths of one body',
      () =>
        `POST /ws/projects HTTP/1.1\r\n${host()}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
      400,
    ],
    [
      'a length beside chunks',
      () =>
        `POST /ws/projects HTTP/1.1\r\n${host()}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
    ],
    ['huge headers', () => `GET / HTTP/1.1\r\n${host()}a: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    [
      'another address',
      () => `GET http://evil.example/ HTTP/1.1\r\n${host()}Connection: close\r\n\r\n`,
      400,
    ],
  ])('%s', async (_name, request, status) => {
    const text = await sendRaw(service, request());
    expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    const body: unknown = JSON.parse(text.slice(text.indexOf('\r\n\r\n')));
    expect(body).toMatchObject({ error: { type: 'invalid_input' } });
    expect((await send(service, 'GET', '/', bearer)).status).toBe(200);
  });
});

test('only the loopback address answers', async () => {
  const own = Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .filter(({ family, internal }) => family === 'IPv4' && !internal);
  for (const { address } of [{ address: '127.0.0.2' }, ...own]) {
    const { promise, resolve } = Promise.withResolvers<string>();
    const socket = connect(service.port, address, () => resolve('connected'));
    socket.on('error', () => resolve('refused'));
    expect(await promise).toBe('refused');
    socket.destroy();
  }
});

test('a port that is taken is said so', async () => {
  await expect(startTestService({ port: service.port })).rejects.toMatchObject({
    code: 'conflict',
    message: `Cannot listen on port ${service.port} of 127.0.0.1.`,
  });
});

test.runIf(process.platform === 'linux')(
  'a service on another address is called by it',
  async () => {
    const own = await startTestService({ host: '127.0.0.2' });
    expect(own.url).toBe(`http://127.0.0.2:${own.port}`);
    const response = await fetch(own.url, { headers: bearer });
    expect(response.status).toBe(200);
    await own.close();
  },
);

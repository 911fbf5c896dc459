// Content as answers: whole, in ranges, and never as a page.

import { createReadStream } from 'node:fs';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sendContent } from '../../src/http-server/send-content.ts';
import { send, startTestService, type TestService } from './test-service.ts';

let service: TestService;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fovea-send-file-'));
  await writeFile(join(folder, 'ten'), '0123456789');
  await writeFile(join(folder, 'empty'), '');
  await writeFile(join(folder, 'large'), Buffer.alloc(30_000_000, 'x'));
  service = await startTestService({
    routes: [
      {
        method: 'GET',
        path: '/files/{name}',
        open: true,
        handle: async (_request, response, { name = '' }) =>
          sendContent(response, { ...(await fileContent(name)), contentType: 'image/png' }),
      },
      {
        method: 'GET',
        path: '/checked/{bytes}',
        open: true,
        handle: async (_request, response, { bytes }) =>
          sendContent(response, {
            ...(await fileContent('ten')),
            contentType: 'application/zip',
            bytes: Number(bytes),
            filename: 'Zellen "é"\r\n.zip',
          }),
      },
    ],
  });
});

afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

async function fileContent(name: string) {
  const path = join(folder, name);
  const { size: bytes } = await stat(path);
  return { bytes, open: async () => createReadStream(path) };
}

describe('content is sent', () => {
  test('whole', async () => {
    const answer = await send(service, 'GET', '/files/ten');
    expect(answer).toMatchObject({ status: 200, text: '0123456789' });
    expect(answer.headers).toMatchObject({
      'content-type': 'image/png',
      'content-length': '10',
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
    });
    expect(answer.headers['content-disposition']).toBeUndefined();
  });

  test('when it is empty', async () => {
    const answer = await send(service, 'GET', '/files/empty');
    expect(answer).toMatchObject({ status: 200, text: '' });
    expect(answer.headers['content-length']).toBe('0');
  });

  test('not at all for HEAD, which tells all about it', async () => {
    const answer = await send(service, 'HEAD', '/files/large');
    expect(answer).toMatchObject({ status: 200, text: '' });
    expect(answer.headers).toMatchObject({
      'content-length': '30000000',
      'accept-ranges': 'bytes',
    });
    // Ranges are of GET alone (RFC 9110, section 14.2).
    const part = await send(service, 'HEAD', '/files/ten', { range: 'bytes=2-4' });
    expect(part).toMatchObject({ status: 200, headers: { 'content-length': '10' } });
  });

  test('to be saved under a safe name', async () => {
    const answer = await send(service, 'GET', '/checked/10');
    expect(answer.headers['content-disposition']).toBe(
      `attachment; filename="Zellen _____.zip"; filename*=UTF-8''Zellen%20%22%C3%A9%22%0D%0A.zip`,
    );
  });
});

describe('a range', () => {
  test.each([
    ['bytes=0-3', 206, '0123', 'bytes 0-3/10'],
    ['bytes=9-', 206, '9', 'bytes 9-9/10'],
    ['bytes=-3', 206, '789', 'bytes 7-9/10'],
    ['bytes=-99', 206, '0123456789', 'bytes 0-9/10'],
    ['bytes=8-99', 206, '89', 'bytes 8-9/10'],
    ['bytes=10-', 416, '', 'bytes */10'],
    ['bytes=-0', 416, '', 'bytes */10'],
    ['bytes=4-3', 200, '0123456789', undefined],
    ['bytes=0-1,4-5', 200, '0123456789', undefined],
    ['bytes=-', 200, '0123456789', undefined],
    ['pages=0-1', 200, '0123456789', undefined],
  ])('%s', async (range, status, text, contentRange) => {
    const answer = await send(service, 'GET', '/files/ten', { range });
    expect(answer).toMatchObject({ status, text });
    expect(answer.headers['content-range']).toBe(contentRange);
  });

  test('of an empty file cannot be', async () => {
    const answer = await send(service, 'GET', '/files/empty', { range: 'bytes=0-' });
    expect(answer.status).toBe(416);
  });

  test('with a condition is not taken', async () => {
    const headers = { range: 'bytes=0-3', 'if-range': '"etag"' };
    expect(await send(service, 'GET', '/files/ten', headers)).toMatchObject({ status: 200 });
  });
});

test('content that ends early is cut off, so that nobody takes it for the whole', async () => {
  const answer = await fetch(`http://127.0.0.1:${service.port}/checked/11`);
  await expect(answer.text()).rejects.toThrow();
});

test('a client that goes away in the middle leaves the service alive', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const socket = connect(service.port, '127.0.0.1');
  socket.write(`GET /files/large HTTP/1.1\r\nHost: 127.0.0.1:${service.port}\r\n\r\n`);
  socket.once('data', () => socket.resetAndDestroy());
  socket.on('close', () => resolve());
  await promise;
  const answer = await send(service, 'GET', '/files/large');
  expect(answer.text.length).toBe(30_000_000);
  expect(service.logLines.filter((line) => line.includes('/files/'))).toEqual([]);
});

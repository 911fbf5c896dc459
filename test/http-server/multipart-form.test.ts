// Multipart bodies, the malformed ones byte by byte.

import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bearer, json, send, startTestService, type TestService } from './test-service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});

afterAll(() => service.close());

function upload(body: string | Buffer, query = '', type = 'multipart/form-data; boundary=XX') {
  const headers = { ...bearer, 'content-type': type };
  return send(service, 'POST', `/dataset/cells/upload${query}`, headers, body);
}

function part(disposition: string, content: string, headers = ''): string {
  return `--XX\r\nContent-Disposition: form-data; ${disposition}\r\n${headers}\r\n${content}\r\n`;
}

const file = part('name="file"; filename="a.png"', 'pixels', 'Content-Type: image/png\r\n');
const end = '--XX--\r\n';

describe('a multipart body is read', () => {
  test('by a real client', async () => {
    const form = new FormData();
    form.set('file', new Blob(['pixels'], { type: 'image/png' }), 'a.png');
    form.set('metadata', '{"camera":"north"}');
    const response = await fetch(`${service.url}/dataset/cells/upload?name=b.png`, {
      method: 'POST',
      headers: bearer,
      body: form,
    });
    expect(await response.json()).toEqual({
      operation: 'upload',
      input: { project: 'cells', name: 'b.png', metadata: { camera: 'north' } },
      file: { name: 'a.png', contentType: 'image/png', length: 6, text: 'pixels' },
    });
  });

  test('with a file of 20 MB, unchanged', async () => {
    const form = new FormData();
    form.set('file', new Blob([Buffer.alloc(20 * 1024 * 1024, 'x')]), 'a.png');
    const request = { method: 'POST', headers: bearer, body: form };
    const response = await fetch(`${service.url}/dataset/cells/upload`, request);
    expect(await response.json()).toMatchObject({ file: { length: 20_971_520 } });
  });

  test.each([
    ['a preamble and an epilogue', `before\r\n${file}${end}after`],
    ['lines before the boundary', `\r\n${file}${end}`],
    ['no line after the last boundary', `${file}--XX--`],
    [
      'a type but no file name',
      `${part('name="file"', 'pixels', 'Content-Type: image/png\r\n')}${end}`,
    ],
  ])('with %s', async (_name, body) => {
    const answer = await upload(body);
    expect(answer.status).toBe(200);
    expect(json(answer)).toMatchObject({ file: { contentType: 'image/png', text: 'pixels' } });
  });

  test.each([
    ['../../etc/passwd', 'passwd'],
    ['C:\\\\pictures\\\\a.png', 'a.png'],
    ['a\u0000b\u0007.png', 'ab.png'],
    ['', 'file'],
    ['..', 'file'],
    ['x'.repeat(400), 'x'.repeat(255)],
    ['a %22b%22%0D%0A%2F%.png', 'a "b"%2F%.png'],
  ])('with the file name %j only as the label %j', async (name, label) => {
    const answer = await upload(`${part(`name="file"; filename="${name}"`, 'pixels')}${end}`);
    expect(answer.status).toBe(200);
    expect(json(answer)).toMatchObject({ file: { name: label } });
  });
});

describe('text fields that are query parameters', () => {
  const fields =
    part('name="name"', 'a.png') + part('name="tag"', 'one') + part('name="tag"', 'two');

  test('fill them', async () => {
    const number = part('name="sequence_number"', '7');
    const answer = await upload(`${fields}${number}${file}${end}`, '?name=a.png');
    expect(answer.status).toBe(200);
    expect(json(answer)).toMatchObject({
      input: { name: 'a.png', tag: ['one', 'two'], sequence_number: 7 },
    });
  });

  test('must not differ from the query', async () => {
    const answer = await upload(`${fields}${file}${end}`, '?name=other.png');
    expect(answer.status).toBe(400);
    expect(json(answer)).toMatchObject({
      error: { message: 'name: the query and the body give different values, send one' },
    });
  });
});

const malformed = 'The multipart body is malformed or incomplete.';

describe('a multipart body is refused with 400', () => {
  test.each([
    ['no boundary in its type', `${file}${end}`, malformed, 'multipart/form-data'],
    ['an empty boundary', `${file}${end}`, malformed, 'multipart/form-data; boundary='],
    [
      'a boundary of 71 characters',
      `${file}${end}`,
      malformed,
      `multipart/form-data; boundary=${'X'.repeat(71)}`,
    ],
    ['no end after 900 kB', part('name="file"', 'x'.repeat(900_000)), malformed],
    [
      'another boundary than its type says',
      `${file}${end}`,
      malformed,
      'multipart/form-data; boundary=YY',
    ],
    ['no end', file, malformed],
    ['an end in the middle of a file', file.slice(0, -5), malformed],
    ['an end in the middle of the headers', `${file}--XX\r\nContent-Disp`, malformed],
    ['no end after a text field', part('name="name"', 'a'), malformed],
    ['only an end', end, malformed],
    ['nothing but noise', 'pixels', malformed],
    ['a part without name', `${part('filename="a.png"', 'pixels')}${end}`, malformed],
    ['a text without name', `${part('x="y"', 'pixels')}${file}${end}`, malformed],
    ['the file twice', `${file}${file}${end}`, 'file: is given twice'],
    [
      'an empty file',
      `${part('name="file"; filename="a.png"', '')}${end}`,
      'file: the file is empty',
    ],
    [
      'the file also as text',
      `${file}${part('name="file"', 'x')}${end}`,
      'file: is given both as a file and as text',
    ],
    [
      'no line between headers and content',
      '--XX\r\nContent-Disposition: form-data; name="file"\r\n--XX--\r\n',
      malformed,
    ],
  ])('for %s', async (_name, body, message, type?: string) => {
    const answer = await upload(body, '', type);
    expect(answer.status).toBe(400);
    expect(json(answer)).toMatchObject({ error: { message, type: 'invalid_input' } });
  });

  test.each([
    ['no file', `${part('name="name"', 'a.png')}${end}`],
    ['the file as text', `${part('name="file"', 'pixels')}${end}`],
    ['the file under another name', `${part('name="image"; filename="a.png"', 'pixels')}${end}`],
    [
      'a file without disposition',
      `--XX\r\nContent-Type: image/png\r\n\r\npixels\r\n${part('name="name"', 'a')}${end}`,
    ],
    [
      'junk in the headers',
      `--XX\r\n${'junk'.repeat(5_000)}\r\n\r\npixels\r\n${part('name="name"', 'a')}${end}`,
    ],
    [
      'headers of 200 kB',
      `${part('name="name"', 'a')}--XX\r\nX: ${'x'.repeat(200_000)}\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\npixels\r\n${end}`,
    ],
  ])('for %s, naming the file', async (_name, body) => {
    const answer = await upload(body);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('file: ');
  });

  test('for an unknown text field, naming it', async () => {
    const answer = await upload(`${file}${part('name="__proto__"', 'x')}${end}`);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('__proto__');
  });
});

describe('a multipart body is refused with 413', () => {
  const big = 'x'.repeat(1024 * 1024 + 1);

  test.each([
    [
      'a file over the limit',
      part('name="file"; filename="a"', 'x'.repeat(20 * 1024 * 1024 + 1)) + end,
    ],
    ['a text over the limit', part('name="metadata"', big) + file + end],
    ['21 texts', part('name="tag"', 'x').repeat(21) + file + end],
    [
      '17 files',
      Array.from({ length: 17 }, (_, n) => part(`name="f${n}"; filename="a"`, 'x')).join('') + end,
    ],
    ['2,000 parts', part('name="tag"', 'x').repeat(2_000) + end],
    ['100,000 empty parts', '--XX\r\n\r\n\r\n'.repeat(100_000) + end],
    ['100,000 boundaries', '--XX\r\n'.repeat(100_000) + end],
  ])('for %s', async (_name, body) => {
    const answer = await upload(body);
    expect(answer.status).toBe(413);
    expect(json(answer)).toMatchObject({ error: { type: 'too_large' } });
  });
});

test('clients that go away in the middle leave the service alive', async () => {
  const whole =
    `POST /dataset/cells/upload HTTP/1.1\r\nHost: 127.0.0.1:${service.port}\r\n` +
    'Authorization: Bearer key-of-alice\r\nContent-Type: multipart/form-data; boundary=XX\r\n' +
    `Content-Length: 5000\r\n\r\n${part('name="name"', 'a')}${file.slice(0, -8)}`;
  for (let length = 150; length < whole.length; length += 7) {
    const { promise, resolve } = Promise.withResolvers<void>();
    const socket = connect(service.port, '127.0.0.1', () => {
      socket.write(whole.slice(0, length), () => socket.resetAndDestroy());
    });
    socket.on('close', () => resolve());
    await promise;
  }
  expect((await upload(`${file}${end}`)).status).toBe(200);
  expect(service.logLines).toEqual([]);
});

// Requests byte by byte, as no honest client sends them.

import { once } from 'node:events';
import { connect } from 'node:net';

const host = 'Host: 127.0.0.1\r\n';
const json = 'Content-Type: application/json\r\n';
const post = `POST /v2/events HTTP/1.1\r\n${host}${json}`;
const get = 'GET /v2/events HTTP/1.1\r\n';
const smuggled = 'GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n';

/** Name, bytes, and the statuses that may answer; there is never a second answer. */
export const rawRequests: readonly (readonly [string, string, readonly number[]])[] = [
  [
    'a length and chunks',
    `${post}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`,
    [400],
  ],
  ['two lengths', `${post}Content-Length: 2\r\nContent-Length: 7\r\n\r\n{}${smuggled}`, [400]],
  ['a length that is none', `${post}Content-Length: +2\r\n\r\n{}`, [400]],
  ['a negative length', `${post}Content-Length: -2\r\n\r\n{}`, [400]],
  ['a chunk size that is none', `${post}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n`, [400]],
  [
    'a chunk longer than it says',
    `${post}Transfer-Encoding: chunked\r\n\r\n2\r\n{}}}\r\n0\r\n\r\n`,
    [400],
  ],
  ['an unknown coding', `${post}Transfer-Encoding: gzip\r\n\r\n{}`, [400, 501]],
  ['coding twice', `${post}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`, [400, 501]],
  ['a folded header', `${get}${host}X-A: a\r\n b\r\n\r\n`, [200, 400]],
  ['a blank before the colon', `${get}${host}X-A : a\r\n\r\n`, [400]],
  ['a header without a name', `${get}${host}: a\r\n\r\n`, [400]],
  ['NUL in a header', `${get}${host}X-A: a\0b\r\n\r\n`, [400]],
  ['no host', `${get}\r\n`, [400, 403]],
  ['two hosts', `${get}${host}Host: example.com\r\n\r\n`, [400, 403]],
  ['another host', `${get}Host: example.com\r\n\r\n`, [400, 403, 421]],
  ['64 kB of one header', `${get}${host}X-A: ${'a'.repeat(65_536)}\r\n\r\n`, [431]],
  ['10,000 headers', `${get}${host}${'X-A: a\r\n'.repeat(10_000)}\r\n`, [431]],
  ['a long path', `GET /${'a'.repeat(65_536)} HTTP/1.1\r\n${host}\r\n`, [400, 404, 414, 431]],
  ['HTTP/0.9', 'GET /health\r\n\r\n', [400, 403]],
  ['HTTP/3.0', `GET /health HTTP/3.0\r\n${host}\r\n`, [400, 505]],
  ['no HTTP', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001', [400]],
  ['an unknown method', `BREW /v2/events HTTP/1.1\r\n${host}\r\n`, [400, 405, 501]],
  ['TRACE', `TRACE /v2/events HTTP/1.1\r\n${host}Connection: close\r\n\r\n`, [404, 405, 501]],
  ['a foreign origin', `${get}${host}Origin: https://example.com\r\n\r\n`, [403]],
  ['the origin null', `${get}${host}Origin: null\r\n\r\n`, [403]],
];

export interface RawAnswer {
  readonly status: number;
  /** Answers in what came back. */
  readonly answers: number;
  /** Undefined where it is no JSON. */
  readonly body: unknown;
}

/** Sends the bytes and reads until the service closes, or says nothing more for a while. */
export async function sendRaw(url: string, request: string): Promise<RawAnswer> {
  const { port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname);
  const pieces: Buffer[] = [];
  socket.on('error', () => undefined);
  socket.on('data', (piece: Buffer) => {
    pieces.push(piece);
    socket.setTimeout(250, () => socket.destroy());
  });
  socket.setTimeout(5_000, () => socket.destroy());
  socket.write(Buffer.from(withPort(request, port), 'latin1'));
  await once(socket, 'close');
  const text = Buffer.concat(pieces).toString('utf8');
  return {
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0),
    answers: text.split(/^HTTP\/1\.1 \d{3}/m).length - 1,
    body: parsed(text.split('\r\n\r\n')[1] ?? ''),
  };
}

/** The service is asked under its own port, unless the request is about that. */
function withPort(request: string, port: string): string {
  return request.replaceAll('Host: 127.0.0.1\r\n', `Host: 127.0.0.1:${port}\r\n`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

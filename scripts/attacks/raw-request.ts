// One request over HTTP, byte for byte as an attacker wants it, and its answer.

import { type Agent, request as open } from 'node:http';

export interface Request {
  readonly method?: string;
  /** With its query, as it goes out. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Uint8Array;
  /** Undefined: that of the target. Empty: none. */
  readonly key?: string;
}

export interface Reply {
  readonly status: number;
  readonly text: string;
  readonly ms: number;
}

/** Text of an answer that is kept: what errors and ids need. */
const keptCharactersMax = 200_000;

/** Bytes of an answer after which reading stops. */
const answerBytesMax = 256 * 1024 * 1024;

/** Resolves with status 0 where the connection ends without an answer. */
export function send(
  url: string,
  { method, path, headers = {}, body, key = '' }: Request,
  signal?: AbortSignal,
  agent?: Agent,
): Promise<Reply> {
  const { hostname, port } = new URL(url);
  const startMs = performance.now();
  const { promise, resolve } = Promise.withResolvers<Reply>();
  const end = (status: number, text: string) =>
    resolve({ status, text, ms: performance.now() - startMs });
  const request = open({
    hostname,
    port,
    path,
    agent: agent ?? false,
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      ...(key !== '' && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
      ...plain(headers),
    },
    ...(signal !== undefined && { signal }),
  });
  request.on('response', (response) => {
    let text = '';
    let bytes = 0;
    const status = response.statusCode ?? 0;
    response.on('data', (part: Buffer) => {
      bytes += part.length;
      if (text.length < keptCharactersMax) text += part.toString('utf8');
      if (bytes > answerBytesMax) response.destroy();
    });
    response.on('close', () => end(status, text));
    response.on('error', () => end(status, text));
  });
  // After an answer, the service may stop reading the rest of the body.
  request.on('error', ({ message }) => end(0, message));
  request.end(body);
  return promise;
}

function plain(headers: NonNullable<Request['headers']>): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : [...value],
    ]),
  );
}

/** A request with a JSON body: text goes as it is. */
export function json(path: string, body: unknown, method = 'POST'): Request {
  return {
    path,
    method,
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  };
}

export interface Part {
  readonly name: string;
  readonly fileName?: string;
  readonly type?: string;
  readonly content: string | Uint8Array;
}

const boundary = 'fovea-attacks-boundary';

/** A request with a multipart body. */
export function form(path: string, parts: readonly Part[], method = 'POST'): Request {
  return { path, method, headers: formHeaders, body: formBody(parts) };
}

export const formHeaders = { 'content-type': `multipart/form-data; boundary=${boundary}` };

/** `end`: what closes the body. */
export function formBody(parts: readonly Part[], end = `--${boundary}--\r\n`): Buffer {
  const pieces = parts.flatMap(({ name, fileName, type, content }) => [
    Buffer.from(
      `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${
        fileName === undefined ? '' : `; filename="${fileName}"`
      }\r\n${type === undefined ? '' : `content-type: ${type}\r\n`}\r\n`,
    ),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ]);
  return Buffer.concat([...pieces, Buffer.from(end)]);
}

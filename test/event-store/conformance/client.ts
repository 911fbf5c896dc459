// HTTP as any producer speaks it: fetch for whole requests, node:http for bodies sent in pieces.

import { type ClientRequest, request as httpRequest } from 'node:http';

export interface Call {
  readonly method?: 'GET' | 'POST' | 'HEAD';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | readonly string[]>>;
  /** As it is, without escaping: `?start_time=2026-11-21T06:29:50+00:00`. */
  readonly rawQuery?: string;
  readonly json?: unknown;
  readonly body?: FormData | Uint8Array<ArrayBuffer> | string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
  readonly text: string;
  /** Undefined where the body is no JSON. */
  readonly json: unknown;
}

/** A request whose body is sent piece by piece. */
export interface OpenRequest {
  write(piece: Uint8Array | string): void;
  end(): void;
  readonly reply: Promise<Pick<Reply, 'status' | 'json' | 'text'>>;
  abort(): void;
}

export interface Client {
  readonly url: string;
  send(call: Call): Promise<Reply>;
  open(path: string, headers: Readonly<Record<string, string>>): OpenRequest;
}

/** With `key` every request carries it as X-API-Key. */
export function createClient(url: string, key?: string): Client {
  const base = url.replace(/\/+$/, '');
  const own = key === undefined ? {} : { 'x-api-key': key };
  return {
    url: base,
    send: (call) => send(base, own, call),
    open: (path, headers) => open(base + path, { ...own, ...headers }),
  };
}

async function send(
  base: string,
  own: Readonly<Record<string, string>>,
  { method, path, query = {}, rawQuery, json, body, headers }: Call,
): Promise<Reply> {
  const content = json === undefined ? body : JSON.stringify(json);
  const response = await fetch(base + path + (rawQuery ?? queryText(query)), {
    method: method ?? (content === undefined ? 'GET' : 'POST'),
    headers: {
      ...own,
      ...(json !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(content !== undefined && { body: content }),
    redirect: 'manual',
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  const text = bytes.toString('utf8');
  return { status: response.status, headers: response.headers, bytes, text, json: parsed(text) };
}

function queryText(query: NonNullable<Call['query']>): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    (typeof value === 'string' ? [value] : value).map((one): [string, string] => [name, one]),
  );
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}

function open(url: string, headers: Readonly<Record<string, string>>): OpenRequest {
  const request = httpRequest(url, { method: 'POST', headers, agent: false });
  const reply = answerOf(request);
  // Whoever does not ask for the answer does not want its failure either.
  reply.catch(() => undefined);
  request.flushHeaders();
  return {
    write: (piece) => void request.write(piece),
    end: () => void request.end(),
    reply,
    abort: () => void request.destroy(),
  };
}

function answerOf(request: ClientRequest): OpenRequest['reply'] {
  return new Promise((resolve, reject) => {
    request.on('error', reject);
    request.on('response', (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(pieces).toString('utf8');
        resolve({ status: response.statusCode ?? 0, text, json: parsed(text) });
      });
    });
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

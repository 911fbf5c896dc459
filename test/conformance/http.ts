// One HTTP request as anybody makes it, by fetch, and its answer read to the end.

import assert from 'node:assert/strict';

export interface Call {
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
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

/** Sends a call to the service at `base`; `own` are headers of every call. */
export async function send(
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

/** Undefined where the text is no JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A call in one line, for messages. */
export function sentenceOf({ method, path, query, rawQuery = '', json, body }: Call): string {
  const verb = method ?? (json === undefined && body === undefined ? 'GET' : 'POST');
  const given = json === undefined ? '' : ` ${JSON.stringify(json).slice(0, 300)}`;
  return `${verb} ${path}${rawQuery}${query ? ` ${JSON.stringify(query)}` : ''}${given}`;
}

export function expectStatus(call: Call, { status, text }: Reply, expected: number): void {
  if (status === expected) return;
  assert.fail(`${sentenceOf(call)}: expected ${expected}, got ${status} ${text.slice(0, 300)}`);
}

/** The JSON of an answer that must have this status. */
export function expectJson(call: Call, reply: Reply, status: number): unknown {
  expectStatus(call, reply, status);
  const type = reply.headers.get('content-type') ?? '';
  assert.match(type, /^application\/json\b/, sentenceOf(call));
  return reply.json;
}

// Requests from the contract's own schemas, as they go over the wire, and damaged on their way.

import fc from 'fast-check';
import { damaged } from '../../test/event-store/fuzz/generators.ts';
import type { FuzzBody, FuzzRequest } from '../../test/platform/fuzz/requests.ts';
import { formBody, formHeaders } from '../attacks/raw-request.ts';

/** A request byte for byte, and by what it was made. */
export interface WireRequest {
  readonly name: string;
  readonly asker: FuzzRequest['asker'];
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

/** What the schemas made, without any damage. */
export function onTheWire({ described, asker, target, body }: FuzzRequest): WireRequest {
  const { operationId: name, method } = described;
  return { name, asker, method, target, ...contentOf(body) };
}

function contentOf(body: FuzzBody | undefined): Pick<WireRequest, 'headers' | 'body'> {
  if (body === undefined) return { headers: {}, body: undefined };
  if (body.kind === 'text') {
    const headers = body.type === undefined ? {} : { 'content-type': body.type };
    return { headers, body: Buffer.from(body.text) };
  }
  const parts = body.parts.map(({ name, value }) => ({
    name: name.replaceAll('"', ''),
    ...(typeof value !== 'string' && { fileName: 'file.png' }),
    content: value,
  }));
  return { headers: formHeaders, body: formBody(parts) };
}

/** The request as it is, or with one thing or two wrong on the wire. */
export function withDamage(request: WireRequest): fc.Arbitrary<WireRequest> {
  const once = (given: WireRequest) => fc.oneof(...damages.map((damage) => damage(given)));
  return fc.oneof(
    { weight: 5, arbitrary: fc.constant(request) },
    { weight: 4, arbitrary: once(request) },
    { weight: 1, arbitrary: once(request).chain(once) },
  );
}

type Damage = (request: WireRequest) => fc.Arbitrary<WireRequest>;

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'PROPFIND'] as const;

const oddHeaders: readonly Readonly<Record<string, string>>[] = [
  { 'content-type': 'text/plain' },
  { 'content-type': 'application/json; charset=utf-16' },
  { 'content-type': 'multipart/form-data; boundary=other' },
  { 'content-type': 'application/x-www-form-urlencoded' },
  { 'content-type': '' },
  { 'content-encoding': 'gzip' },
  { accept: 'text/html' },
  { accept: '*/*;q=0.1, application/json;q=zero' },
  { range: 'bytes=5-1' },
  { 'if-none-match': '*' },
  { expect: 'something' },
  { origin: 'https://example.com' },
  { 'x-forwarded-for': '1.2.3.4, 5.6.7.8' },
  { 'x-forwarded-proto': 'https', forwarded: 'for=1.2.3.4;host=example.com' },
  { host: 'example.com' },
  { host: '' },
  { cookie: `a=${'b'.repeat(4_000)}` },
  { 'x-long': 'a'.repeat(9_000) },
  { authorization: 'Basic OmFzZGY=' },
  { authorization: 'Bearer' },
];

/** What stands in a text of JSON where it should not. */
const strays = [
  '\\ud800',
  '\\u0000',
  '\u0000',
  '\ufeff',
  '"',
  '\\',
  '1e999',
  '-0',
  '[[[[[[',
  '}}}',
];

const damages: readonly Damage[] = [
  (one) => fc.constantFrom(...methods).map((method) => ({ ...one, method })),
  (one) =>
    fc
      .constantFrom(...oddHeaders)
      .map((more) => ({ ...one, headers: { ...one.headers, ...more } })),
  (one) => fc.nat(one.target.length).map((at) => ({ ...one, target: cut(one.target, at) })),
  (one) =>
    fc.constantFrom('//', '/./', '/%2e%2e/', '?', '/%', ';a=b').map((put) => pathWith(one, put)),
  (one) => fc.constantFrom(2, 40).map((times) => doubledQuery(one, times)),
  (one) => withBody(one, (body) => damaged(body).map((bytes) => Buffer.from(bytes))),
  (one) => withBody(one, (body) => fc.nat(body.length).map((at) => body.subarray(0, at))),
  (one) =>
    withBody(one, (body) =>
      fc
        .tuple(fc.constantFrom(...strays), fc.nat(body.length))
        .map(([put, at]) =>
          Buffer.concat([body.subarray(0, at), Buffer.from(put), body.subarray(at)]),
        ),
    ),
  (one) =>
    withBody(one, (body) => fc.constantFrom(1_000, 200_000).map((count) => larger(body, count))),
  (one) => withBody(one, (body) => fc.constantFrom(70, 5_000).map((depth) => deeper(body, depth))),
  (one) => fc.constant({ ...one, body: undefined, headers: {} }),
];

function withBody(
  request: WireRequest,
  change: (body: Buffer) => fc.Arbitrary<Buffer>,
): fc.Arbitrary<WireRequest> {
  if (request.body === undefined || request.body.length === 0) return fc.constant(request);
  return change(request.body).map((body) => ({ ...request, body }));
}

function cut(text: string, at: number): string {
  const kept = text.slice(0, at);
  return kept.startsWith('/') ? kept : '/';
}

function pathWith(request: WireRequest, put: string): WireRequest {
  const [path = '', query] = request.target.split(/\?(.*)/s);
  const half = path.indexOf('/', 1);
  const changed = half < 0 ? path + put : path.slice(0, half) + put + path.slice(half);
  return { ...request, target: query === undefined ? changed : `${changed}?${query}` };
}

/** Each parameter several times, or an unknown one if there is no parameter. */
function doubledQuery(request: WireRequest, times: number): WireRequest {
  const [path = '', query = 'unheard_of=1'] = request.target.split(/\?(.*)/s);
  const all = Array.from({ length: times }, () => query).join('&');
  return { ...request, target: `${path}?${all.slice(0, 12_000)}` };
}

/** Adds that many elements to a list in the body, or members to the body. */
function larger(body: Buffer, count: number): Buffer {
  const text = body.toString('latin1');
  const at = text.indexOf('[');
  if (at >= 0)
    return Buffer.from(
      `${text.slice(0, at + 1)}${'0,'.repeat(count)}${text.slice(at + 1)}`,
      'latin1',
    );
  const members = Array.from({ length: count }, (_, index) => `"a${index}":0,`).join('');
  return Buffer.from(
    text.replace('{', () => `{${members}`),
    'latin1',
  );
}

/** Nests the first value of the body in that many lists. */
function deeper(body: Buffer, depth: number): Buffer {
  const text = body.toString('latin1');
  const put = `:${'['.repeat(depth)}0${']'.repeat(depth)},"more":`;
  return Buffer.from(
    text.replace(':', () => put),
    'latin1',
  );
}

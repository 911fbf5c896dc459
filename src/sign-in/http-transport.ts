// Requests to authorization servers: with a deadline, bounded responses, no redirects, and plain
// http to this machine alone.

import { allowInsecureRequests, customFetch } from 'oauth4webapi';
import { FoveaError } from '../errors.ts';
import { limits } from '../limits.ts';
import { isPlainLoopback } from '../network/loopback.ts';
import { asProxyError } from '../network/proxy-error.ts';

/** The part of `fetch` that is used; another implementation may use a proxy. */
export type Fetch = (
  url: string,
  init: {
    readonly method: string;
    readonly headers: Record<string, string>;
    readonly body?: URLSearchParams;
    readonly redirect: 'manual';
    readonly signal: AbortSignal;
  },
) => Promise<Response>;

interface Sent {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: URLSearchParams | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The options of oauth4webapi for a request. Throws `unreachable`, `timed_out`, `upstream_failed`
 * or, where `signal` ended it, `cancelled`.
 */
export function requestOptions(issuer: URL, signal?: AbortSignal, through: Fetch = fetch) {
  return {
    [customFetch]: (url: string, sent: Sent) => send(url, sent, through),
    [allowInsecureRequests]: isPlainLoopback(issuer),
    ...(signal && { signal }),
  };
}

/** One GET with an answer of at most `oauthAnswerBytesMax`; a redirect is an answer. */
export function get(
  url: URL,
  headers: Record<string, string> = {},
  signal?: AbortSignal,
  through: Fetch = fetch,
): Promise<Response> {
  const sent = { accept: 'application/json', ...headers };
  return send(url.href, { method: 'GET', headers: sent, signal }, through);
}

/**
 * An address that an authorization server names, fit to be sent something: https, or http on this
 * machine where the issuer is here too; no user, no fragment (RFC 6749 section 3.1), not too long.
 */
export function checkEndpoint(value: unknown, what: string, issuer: URL): URL {
  const url = typeof value === 'string' ? URL.parse(value) : null;
  if (typeof value !== 'string' || url === null || value.length > limits.urlCharactersMax) {
    throw badEndpoint(what, 'is no address');
  }
  if (url.protocol !== 'https:' && !(isPlainLoopback(url) && isPlainLoopback(issuer))) {
    throw badEndpoint(what, 'is not https');
  }
  if (url.username || url.password) throw badEndpoint(what, 'carries a user name or password');
  if (value.includes('#')) throw badEndpoint(what, 'has a fragment');
  return url;
}

function badEndpoint(what: string, why: string): FoveaError {
  return new FoveaError(
    'upstream_failed',
    `The authorization server's ${what} ${why}; nothing was sent to it.`,
    { retry: 'never', hint: 'Check FOVEA_AUTH_URL.' },
  );
}

async function send(url: string, { signal, ...request }: Sent, through: Fetch): Promise<Response> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), limits.oauthRequestMsMax);
  const { body, ...rest } = request;
  try {
    const response = await through(url, {
      ...rest,
      ...(body && { body }),
      redirect: 'manual',
      signal: signal ? AbortSignal.any([signal, late.signal]) : late.signal,
    });
    const bytes = await readAnswer(response);
    const { status, headers } = response;
    const said = status < 400 ? bytes : withoutSent(bytes, request);
    return new Response(bodyless.includes(status) ? null : said, { status, headers });
  } catch (thrown) {
    if (thrown instanceof FoveaError) throw thrown;
    if (signal?.aborted) throw new FoveaError('cancelled', 'The request was cancelled.');
    if (late.signal.aborted) {
      throw new FoveaError('timed_out', 'The authorization server did not answer in time.');
    }
    throw failedToSend(thrown);
  } finally {
    clearTimeout(timer);
  }
}

/** Statuses whose Response may have no body. */
const bodyless = [204, 205, 304];

/** Errors reach the model: secrets that a service repeats in them are removed. */
function withoutSent(answer: Uint8Array<ArrayBuffer>, { headers, body }: Sent): string {
  const { authorization = '' } = Object.fromEntries(new Headers(headers));
  const credentials = authorization.replace(/^\w+ +/, '');
  const [, basic = ''] = Buffer.from(credentials, 'base64').toString('latin1').split(':');
  const fields = secretFields.map((name) => body?.get(name) ?? '');
  const sent = [credentials, basic, decoded(basic), ...fields].filter((value) => value.length > 3);
  const spelled = sent.flatMap((value) => [
    value,
    encodeURIComponent(value),
    new URLSearchParams([['', value]]).toString().slice(1),
    JSON.stringify(value).slice(1, -1),
  ]);
  const longestFirst = spelled.toSorted((a, b) => b.length - a.length);
  const text = Buffer.from(answer).toString('utf8');
  return longestFirst.reduce((rest, value) => rest.replaceAll(value, '[secret]'), text);
}

/** Members of a request that are secrets: RFC 6749, RFC 7636, RFC 7009, RFC 8693. */
const secretFields = [
  'client_secret',
  'code',
  'code_verifier',
  'refresh_token',
  'token',
  'subject_token',
];

/** RFC 6749 section 2.3.1: the secret as it was before it was form-encoded. */
function decoded(text: string): string {
  return new URLSearchParams(`=${text}`).get('') ?? '';
}

async function readAnswer(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of response.body ?? []) {
    length += part.byteLength;
    if (length > limits.oauthAnswerBytesMax) {
      throw new FoveaError('upstream_failed', "The authorization server's answer is too large.");
    }
    parts.push(part);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.byteLength;
  }
  return bytes;
}

/** Whether the request may have been sent. The system's error code is of a closed set. */
function failedToSend(thrown: unknown): FoveaError {
  const ofProxy = asProxyError(thrown);
  if (ofProxy) {
    const { message, hint, isTemporary } = ofProxy;
    const details = { hint, retry: isTemporary ? 'safe' : 'never', cause: ofProxy } as const;
    return new FoveaError(
      'unreachable',
      `The authorization server was not asked: ${message}.`,
      details,
    );
  }
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'no connection';
  if (notSent.test(code)) {
    return new FoveaError('unreachable', `The authorization server cannot be reached (${code}).`, {
      hint: 'Check FOVEA_AUTH_URL, and that the service is running.',
    });
  }
  return new FoveaError('upstream_failed', `The authorization server gave no answer (${code}).`);
}

const notSent =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|.*CERT.*|ERR_TLS.*|no connection)$/;

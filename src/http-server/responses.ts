// How answers and errors go out, and the shape in which the platform answers an error (API 27.7).

import type { ServerResponse } from 'node:http';
import type { Operation } from '../contract/operation.ts';
import type { Challenge, FoveaError } from '../errors.ts';
import { JsonText } from './handlers.ts';

/** The headers of every answer. */
export const safeHeaders = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
} as const;

/** A JSON answer; an undefined body is an empty object, and a 204 has none. */
export function sendAnswer(response: ServerResponse, status: number, body: unknown): void {
  if (status === 204) {
    response.writeHead(status, safeHeaders).end();
    return;
  }
  // As text, the body leaves in one piece with the headers.
  const text = body instanceof JsonText ? body.text : JSON.stringify(body ?? {});
  response.writeHead(status, { ...safeHeaders, ...jsonHeaders(text) }).end(text);
}

/** An error. Where an answer has begun already, all that is left is to cut it. */
export function sendError(response: ServerResponse, answer: ErrorAnswer): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  for (const [name, value] of Object.entries(answer.headers ?? {})) response.setHeader(name, value);
  sendAnswer(response, answer.status, answer.body);
}

/** An error as the bytes of a whole HTTP/1.1 message, for a socket without a usable request. */
export function errorMessage(answer: ErrorAnswer, reason: string): Buffer {
  const { status, body } = answer;
  const text = JSON.stringify(body);
  const headers = {
    ...answer.headers,
    ...safeHeaders,
    ...jsonHeaders(text),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`HTTP/1.1 ${status} ${reason}\r\n${lines.join('')}\r\n${text}`);
}

function jsonHeaders(text: string) {
  const length = Buffer.byteLength(text);
  return { 'content-type': 'application/json; charset=utf-8', 'content-length': length };
}

export interface ErrorAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** How a service says an error; the operation is known once the path was. */
export type ErrorBody = (error: FoveaError, operation?: Operation) => ErrorAnswer;

/**
 * `{error: {message, type, hint}}`, the type being our code; `{error: message}` for the operation's
 * `textErrors`. A 502 that may be sent again says `retryable: true` beside it; a wait is told in
 * whole seconds as Retry-After. What a credential lacks is also said as a challenge (RFC 6750
 * section 3).
 */
export function platformErrorBody(error: FoveaError, operation?: Operation): ErrorAnswer {
  const { status, code, message, hint, retry, retryAfterSeconds, challenge } = error;
  const headers = {
    ...((status === 401 || challenge) && { 'www-authenticate': bearerChallenge(challenge) }),
    ...(retryAfterSeconds !== undefined && {
      'retry-after': String(Math.max(0, Math.ceil(retryAfterSeconds))),
    }),
  };
  const retryable = code === 'upstream_failed' && retry === 'safe';
  return {
    status,
    headers,
    body: {
      error: operation?.textErrors.includes(status)
        ? [message, hint].filter(Boolean).join(' ')
        : { message, type: code, ...(hint !== undefined && { hint }) },
      ...(retryable && { retryable }),
    },
  };
}

/** Without an error where nothing was presented. Scopes are names of ours: nothing to escape. */
function bearerChallenge(challenge: Challenge | undefined): string {
  if (challenge === undefined) return 'Bearer';
  const { error, scope } = challenge;
  return `Bearer error="${error}"${scope === undefined ? '' : `, scope="${scope}"`}`;
}

// How answers and errors go out.

import type { ServerResponse } from 'node:http';
import type { ErrorAnswer } from './error-body.ts';

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
  const text = JSON.stringify(body ?? {});
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
export function errorMessage({ status, body }: ErrorAnswer, reason: string): Buffer {
  const text = JSON.stringify(body);
  const headers = { ...safeHeaders, ...jsonHeaders(text), connection: 'close' };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`HTTP/1.1 ${status} ${reason}\r\n${lines.join('')}\r\n${text}`);
}

function jsonHeaders(text: string) {
  const length = Buffer.byteLength(text);
  return { 'content-type': 'application/json; charset=utf-8', 'content-length': length };
}

// JSON answers of endpoints that the library does not answer.

import type { ServerResponse } from 'node:http';

/** Never kept by anybody: they tell of tokens. */
export function sendJson(response: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body);
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
  };
  response.writeHead(status, headers).end(text);
}

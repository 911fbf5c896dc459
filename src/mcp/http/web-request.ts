// Converts a Node request to a Fetch API request, and streams a Fetch API response through Node.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { safeHeaders } from '../../http-server/responses.ts';

/**
 * The request as the MCP package needs it, without its body, which was read and checked before.
 * Only headers of the protocol are passed, so that no credential can reach a tool.
 */
export function toWebRequest(
  { method = 'GET', headers }: IncomingMessage,
  url: string,
  signal: AbortSignal,
): Request {
  const passed = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' && isOfProtocol(name) ? [[name, value]] : [],
  );
  return new Request(url, { method, headers: passed, signal });
}

function isOfProtocol(name: string): boolean {
  return name === 'accept' || name === 'content-type' || name.startsWith('mcp-');
}

/** Aborts when the client goes away before its answer has ended. */
export function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  return gone.signal;
}

/** Headers that belong to the connection, which is Node's. */
const hopByHop = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length']);

/**
 * Streams the response, and resolves when all of it is sent or the client is gone; then the source
 * is cancelled.
 */
export async function sendWebResponse(answer: Response, response: ServerResponse): Promise<void> {
  if (response.destroyed) {
    await answer.body?.cancel();
    return;
  }
  const own = [...answer.headers].filter(([name]) => !hopByHop.has(name));
  response.writeHead(answer.status, { ...safeHeaders, ...Object.fromEntries(own) });
  if (answer.body === null) {
    response.end();
    return;
  }
  // A stream may stay silent for long, and its reader waits for the status.
  response.flushHeaders();
  // A client that disconnected gets no error.
  await pipeline(Readable.fromWeb(answer.body), response).catch(() => response.destroy());
}

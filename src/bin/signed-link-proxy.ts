// A reverse proxy for signed links and the state of the embedded platform at the address of
// `fovea http`: the platform itself listens on a loopback port.

import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { FoveaError } from '../errors.ts';
import type { Route } from '../http-server/handlers.ts';
import { http } from '../network/http-module.ts';

/**
 * Passes `/blobs/{hash}` and uploads to `/uploads/{id}` on to the platform at `target`: the link
 * itself is the credential.
 */
export function signedLinkRoutes(target: string): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/blobs/{hash}',
      open: true,
      handle: (given, response, { hash = '' }) => {
        return forward(`${target}/blobs/${encodeURIComponent(hash)}`, given, response);
      },
    },
    {
      method: 'PUT',
      path: '/uploads/{id}',
      open: true,
      handle: (given, response, { id = '' }) => {
        return forward(`${target}/uploads/${encodeURIComponent(id)}`, given, response);
      },
    },
  ];
}

/** `/health` and `/metrics`, which ask for no credential of the protocol. */
export function stateRoutes(target: string): readonly Route[] {
  return ['/health', '/metrics'].map((path) => ({
    method: 'GET',
    path,
    open: true,
    handle: (given, response) => {
      const { authorization } = given.headers;
      return forward(`${target}${path}`, given, response, { authorization });
    },
  }));
}

async function forward(
  path: string,
  given: IncomingMessage,
  response: ServerResponse,
  { authorization }: { readonly authorization?: string | undefined } = {},
): Promise<void> {
  const { method = 'GET', url = '', headers } = given;
  const { search } = new URL(url, 'http://localhost');
  const length = headers['content-length'];
  const sent = http.request(path + search, {
    method,
    headers: {
      ...(length !== undefined && { 'content-length': length }),
      ...(authorization !== undefined && { authorization }),
    },
  });
  response.once('close', () => sent.destroy());
  const answered = once(sent, 'response').catch((cause) => {
    throw new FoveaError('unreachable', 'The platform does not answer.', { cause });
  });
  // The platform may answer before it has read the whole request: the rest of the upload is
  // dropped.
  pipeline(given, sent, { end: true }).catch(() => {});
  const [answer]: IncomingMessage[] = await answered;
  if (answer === undefined) return;
  const { connection: _connection, 'keep-alive': _keepAlive, ...kept } = answer.headers;
  response.writeHead(answer.statusCode ?? 502, kept);
  await pipeline(answer, response).catch(() => response.destroy());
}

// The links of the embedded platform at the address of `fovea http`: the platform itself is on a
// port of this machine, which nobody beyond it can reach.

import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { FoveaError } from '../errors.ts';
import type { Route } from '../http-server/handlers.ts';

/** Passes `/blobs/{hash}` on to the platform at `target`: the link itself is the credential. */
export function forwardedLinks(target: string): Route {
  return {
    method: 'GET',
    path: '/blobs/{hash}',
    open: true,
    handle: async ({ method = 'GET', url = '' }, response, { hash = '' }) => {
      const { search } = new URL(url, 'http://localhost');
      const sent = request(`${target}/blobs/${encodeURIComponent(hash)}${search}`, { method });
      response.once('close', () => sent.destroy());
      sent.end();
      const [answer]: IncomingMessage[] = await once(sent, 'response').catch((cause) => {
        throw new FoveaError('unreachable', 'The platform does not answer.', { cause });
      });
      if (answer === undefined) return;
      const { connection: _connection, 'keep-alive': _keepAlive, ...headers } = answer.headers;
      response.writeHead(answer.statusCode ?? 502, headers);
      await pipeline(answer, response).catch(() => response.destroy());
    },
  };
}

// Waits on 127.0.0.1 for the browser to bring the answer of a sign-in (RFC 8252 section 7.3).

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { asFoveaError, FoveaError } from '../errors.ts';
import { limits } from '../limits.ts';
import { createHostCheck } from '../network/host-check.ts';
import { http } from '../network/http-module.ts';
import { type CallbackPage, renderCallbackPage } from './callback-page.ts';

export interface CallbackServer {
  readonly redirectUri: string;
  /** Stops listening; a page that is on its way still arrives. */
  close(): Promise<void>;
}

/**
 * Listens on 127.0.0.1 alone; port 0: any free one. `answer` gets each address that came to
 * `/callback`, and says what the browser shows. Throws `conflict` where the port is taken.
 */
export async function listenForCallback(
  port: number,
  answer: (address: URL) => Promise<CallbackPage>,
): Promise<CallbackServer> {
  const server = http.createServer(
    { maxHeaderSize: limits.headerBytesMax },
    (request, response) => {
      void respond(request, response, address(server), answer);
    },
  );
  server.headersTimeout = limits.requestHeadersMsMax;
  server.requestTimeout = limits.requestHeadersMsMax;
  await listen(server, port);
  const { port: taken } = address(server);
  return {
    redirectUri: `http://127.0.0.1:${taken}/callback`,
    close: () => close(server),
  };
}

/** The address of the callback where nothing listens, since the person brings the answer. */
export function unheardRedirectUri(port: number): string {
  return `http://127.0.0.1:${port}/callback`;
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  { port }: { readonly port: number },
  answer: (address: URL) => Promise<CallbackPage>,
): Promise<void> {
  // The body is not read: a callback has none.
  request.resume();
  const page = await pageFor(request, port, answer);
  const { headers, body } = renderCallbackPage(page);
  response.writeHead(page.status, headers);
  response.end(request.method === 'HEAD' ? undefined : body);
}

async function pageFor(
  request: IncomingMessage,
  port: number,
  answer: (address: URL) => Promise<CallbackPage>,
): Promise<CallbackPage> {
  const { host, origin } = request.headersDistinct;
  try {
    createHostCheck({ port })({ host, origin });
  } catch {
    return page(403, 'Not for this address', 'Fovea waits for an answer under 127.0.0.1 alone.');
  }
  const ours = `http://127.0.0.1:${port}`;
  const url = request.url?.startsWith('/') ? URL.parse(`${ours}${request.url}`) : null;
  if (url === null || url.pathname !== '/callback') {
    return page(
      404,
      'Nothing here',
      'Fovea waits for the answer of a sign-in, and serves nothing.',
    );
  }
  if (request.method !== 'GET') return page(405, 'Not accepted', 'An answer comes with GET.');
  try {
    return await answer(url);
  } catch (thrown) {
    const { message, hint = '', upstream } = asFoveaError(thrown);
    const said = upstream ? [`The service says: ${upstream.message.slice(0, 500)}`] : [];
    return { status: 400, title: 'Not signed in', paragraphs: [message, hint, ...said] };
  }
}

export function page(
  status: number,
  title: string,
  ...paragraphs: readonly string[]
): CallbackPage {
  return { status, title, paragraphs };
}

function address(server: Server): { readonly port: number } {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address : { port: 0 };
}

async function listen(server: Server, port: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen({ port, host: '127.0.0.1', exclusive: true }, resolve);
  try {
    await promise;
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : 'unknown';
    throw new FoveaError('conflict', `Port ${port} of this machine cannot be used (${code}).`, {
      hint:
        'Another sign-in may be waiting there. Set FOVEA_REDIRECT_PORT to a port that the client ' +
        'is registered for, or run: fovea sign-in --paste.',
    });
  }
}

async function close(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  server.closeIdleConnections();
  const cut = setTimeout(() => server.closeAllConnections(), limits.callbackCloseMsMax);
  await promise;
  clearTimeout(cut);
}

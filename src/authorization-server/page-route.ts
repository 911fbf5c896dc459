// A route that answers with pages, whatever goes wrong in it.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { asFoveaError } from '../errors.ts';
import type { Route } from '../http-server/handlers.ts';
import type { Log } from '../log.ts';
import { sendPage } from './page-headers.ts';
import { errorPage } from './pages/error-page.ts';

type Handle = (
  request: IncomingMessage,
  response: ServerResponse,
  parameters: Readonly<Record<string, string>>,
) => Promise<void>;

/** An open route: its pages know by themselves who may see them. Errors become pages, too. */
export function pageRoute(method: 'GET' | 'POST', path: string, log: Log, handle: Handle): Route {
  return {
    method,
    path,
    open: true,
    handle: async (request, response, parameters) => {
      try {
        await handle(request, response, parameters);
      } catch (thrown) {
        if (response.headersSent) throw thrown;
        const error = asFoveaError(thrown);
        if (error.code === 'internal') {
          const reason = error.cause instanceof Error ? error.cause.message : error.message;
          log.error('a page failed', { path, reason });
        }
        const { status, message, hint } = error;
        sendPage(response, status, errorPage({ message, hint }));
      }
    },
  };
}

/** Goes on to another page of ours, by GET whatever the method was (RFC 9700 section 4.12). */
export function seeOther(
  response: ServerResponse,
  location: string,
  headers: Readonly<Record<string, string | string[]>> = {},
): void {
  response.writeHead(303, { ...headers, location, 'cache-control': 'no-store' }).end();
}

// Routes that answer with HTML pages, also for errors, and the security headers of every page.

import { createHash } from 'node:crypto';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { asFoveaError } from '../errors.ts';
import type { Route } from '../http-server/handlers.ts';
import type { Log } from '../log.ts';
import { type ErrorLink, errorPage } from './pages/error-page.ts';
import { type Page, pageHtml } from './pages/page-layout.ts';
import { style } from './pages/style.ts';

type Handle = (
  request: IncomingMessage,
  response: ServerResponse,
  parameters: Readonly<Record<string, string>>,
) => Promise<void>;

/**
 * A route without API credentials: its pages check sessions themselves. Errors become pages, from
 * which `link` leads on.
 */
export function pageRoute(
  method: 'GET' | 'POST',
  path: string,
  log: Log,
  handle: Handle,
  link?: ErrorLink,
): Route {
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
        const { status, message, hint, retryAfterSeconds } = error;
        const headers = { ...(retryAfterSeconds && { 'retry-after': String(retryAfterSeconds) }) };
        sendPage(response, status, errorPage({ message, hint, link }), headers);
      }
    },
  };
}

/** Redirects to another page of ours, always by GET (RFC 9700 section 4.12). */
export function seeOther(
  response: ServerResponse,
  location: string,
  headers: Readonly<Record<string, string | string[]>> = {},
): void {
  response.writeHead(303, { ...headers, location, 'cache-control': 'no-store' }).end();
}

const styleHash = createHash('sha256').update(style).digest('base64');

/**
 * Browsers apply `form-action 'self'` to the whole redirect chain of a form, so no page redirects a
 * form elsewhere. The referrer policy is `same-origin`, since `no-referrer` would send
 * `Origin: null` with our own forms.
 */
export const pageHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${styleHash}'`,
    'img-src data:',
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; '),
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'cache-control': 'no-store',
};

/** Answers with a page. */
export function sendPage(
  response: ServerResponse,
  status: number,
  page: Page,
  headers: OutgoingHttpHeaders = {},
): void {
  response.writeHead(status, { ...pageHeaders, ...headers }).end(pageHtml(page));
}

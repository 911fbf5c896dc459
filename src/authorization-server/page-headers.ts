// The headers of every page: nothing is loaded, framed, kept or told to others.

import { createHash } from 'node:crypto';
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { type Page, pageHtml } from './pages/page.ts';
import { style } from './pages/style.ts';

const styleHash = createHash('sha256').update(style).digest('base64');

/**
 * Forms go to our own addresses alone, and no page of ours redirects a form elsewhere: browsers
 * hold `form-action` against a whole chain of redirects. With `no-referrer` a browser would send
 * `Origin: null` with our own forms; `same-origin` tells others as little.
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

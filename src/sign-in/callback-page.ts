// The page that the browser shows after a sign-in. It loads, runs and sends nothing.

import { randomBytes } from 'node:crypto';

export interface CallbackPage {
  readonly status: number;
  readonly title: string;
  /** Plain text, one paragraph each; text by others is escaped. */
  readonly paragraphs: readonly string[];
}

export interface Rendered {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export function renderCallbackPage({ title, paragraphs }: CallbackPage): Rendered {
  const nonce = randomBytes(16).toString('base64');
  const body = [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width">',
    '<meta name="color-scheme" content="light dark">',
    `<title>${escapeText(title)} - Fovea</title>`,
    `<style nonce="${nonce}">${style}</style>`,
    '</head>',
    '<body>',
    '<main>',
    `<h1>${escapeText(title)}</h1>`,
    ...paragraphs.map((text) => `<p>${escapeText(text)}</p>`),
    '</main>',
    '</body>',
    '</html>',
    '',
  ].join('\n');
  return { headers: { ...fixedHeaders, 'content-security-policy': policy(nonce) }, body };
}

const style =
  'body{font:1.1rem/1.5 system-ui,sans-serif;margin:15vh auto;max-width:36rem;padding:0 1.5rem}' +
  'h1{font-size:1.6rem}p{overflow-wrap:anywhere}';

const fixedHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  connection: 'close',
};

function policy(nonce: string): string {
  return [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    "form-action 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
}

function escapeText(text: string): string {
  return text.replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);
}

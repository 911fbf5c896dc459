// The page for people at `/`: a timeline of events, made of plain files.

import type { Route } from '../http-server/handlers.ts';
import type { Caller } from './api-key.ts';
import { staticFileRoute } from './static-file.ts';

/** `/`, and the files that it loads under `/page/`. */
export function pageRoutes(): readonly Route<Caller>[] {
  return [
    route('/', 'index.html'),
    ...files.map((name) => route(`/page/${name}`, name)),
    route('/favicon.ico', 'icon.svg'),
  ];
}

const files = [
  'base.css',
  'details.css',
  'head.css',
  'narrow.css',
  'timeline.css',
  'icon.svg',
  'api.js',
  'card.js',
  'deletions.js',
  'details.js',
  'elements.js',
  'filters.js',
  'findings.js',
  'format.js',
  'header.js',
  'main.js',
  'picture.js',
  'polling.js',
  'timeline.js',
  'words.js',
] as const;

/** Nothing from elsewhere, nothing inline, and no text that could become a program. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "media-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/** In a release the folder lies beside the part that this file is bundled into. */
function route(path: string, name: string): Route<Caller> {
  return staticFileRoute({ path, file: new URL(`./page/${name}`, import.meta.url), policy });
}

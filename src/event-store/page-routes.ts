// The web page at `/`: a timeline of events, served from static files.

import type { Route } from '../http-server/handlers.ts';
import { pageAssetRoutes, pagePolicy } from '../http-server/page-assets.ts';
import { staticFileRoute } from '../http-server/static-file.ts';
import type { Caller } from './api-key.ts';

/** `/`, and the files that it loads under `/page/`. */
export function pageRoutes(): readonly Route<Caller>[] {
  return [
    route('/', 'index.html'),
    ...files.map((name) => route(`/page/event-store/page/${name}`, name)),
    ...pageAssetRoutes<Caller>(policy, false),
    route('/favicon.ico', 'icon.svg'),
  ];
}

const policy = pagePolicy();

const files = [
  'event-details.css',
  'store-figures.css',
  'narrow-screens.css',
  'timeline.css',
  'icon.svg',
  'api.js',
  'event-card.js',
  'deletions.js',
  'event-details.js',
  'filters.js',
  'event-detections.js',
  'store-figures.js',
  'main.js',
  'event-image.js',
  'timeline.js',
  'event-summary.js',
] as const;

/** In a release the folder lies beside the bundle that contains this file. */
function route(path: string, name: string): Route<Caller> {
  return staticFileRoute({ path, file: new URL(`./page/${name}`, import.meta.url), policy });
}

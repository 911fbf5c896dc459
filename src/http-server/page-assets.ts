// What the pages of the services share: a Content-Security-Policy, and files for browsers. Their
// addresses mirror the folders of the source, so that imports work on disk and in browsers.

import type { Route } from './handlers.ts';
import { staticFileRoute } from './static-file.ts';

/**
 * Allows nothing from other origins, nothing inline, and no scripts made from text. Images may also
 * come from the named sources, for example `data:`.
 */
export function pagePolicy(...imageSources: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src ${["'self'", ...imageSources].join(' ')}`,
    "media-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

const files = [
  'base.css',
  'drawing.css',
  'page-header.css',
  'api-error.js',
  'drawing.js',
  'elements.js',
  'findings.js',
  'format.js',
  'status-messages.js',
  'polling.js',
  'annotated-image.js',
] as const;

/** The shared files, at addresses below `/page/`. `open`: without a credential. */
export function pageAssetRoutes<Principal>(policy: string, open: boolean): Route<Principal>[] {
  return files.map((name) =>
    staticFileRoute({
      path: `/page/http-server/page-assets/${name}`,
      file: pageAsset(name),
      policy,
      open,
    }),
  );
}

/** In a release the folder is beside the bundle. */
export function pageAsset(name: string): URL {
  return new URL(`./page-assets/${name}`, import.meta.url);
}

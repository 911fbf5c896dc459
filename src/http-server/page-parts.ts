// What the pages of our services share: a policy, and files for browsers. The addresses of page
// files mirror the folders of the source: an import means the same on the disk and in a browser.

import type { Route } from './handlers.ts';
import { staticFileRoute } from './static-file.ts';

/**
 * Nothing from elsewhere, nothing inline, and no text that could become a program. Pictures may
 * also come from the sources that are named, for example `data:`.
 */
export function pagePolicy(...pictureSources: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src ${["'self'", ...pictureSources].join(' ')}`,
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
  'head.css',
  'api-error.js',
  'drawing.js',
  'elements.js',
  'format.js',
  'notices.js',
  'polling.js',
  'stage.js',
] as const;

/** The shared files, at addresses below `/page/`. `open`: without a credential. */
export function pagePartRoutes<Principal>(policy: string, open: boolean): Route<Principal>[] {
  return files.map((name) =>
    staticFileRoute({
      path: `/page/http-server/page-parts/${name}`,
      file: pagePart(name),
      policy,
      open,
    }),
  );
}

/** In a release the folder lies beside the part that this file is bundled into. */
export function pagePart(name: string): URL {
  return new URL(`./page-parts/${name}`, import.meta.url);
}

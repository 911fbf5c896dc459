// The page on which an API can be tried out, made from its OpenAPI document, offline.

import { existsSync } from 'node:fs';
import type { JsonSchema } from '../contract/openapi.ts';
import type { Route } from './handlers.ts';
import { pageAsset } from './page-assets.ts';
import { sendAnswer } from './responses.ts';
import { staticFileRoute } from './static-file.ts';

export interface ApiDocs {
  /** The OpenAPI document; asked for once, with the first request. */
  describe(): JsonSchema;
  /** True: served without a credential. */
  readonly open: boolean;
}

/** `/openapi.json`, and `/docs` with the files that it loads. */
export function apiDocsRoutes<Principal>({ describe, open }: ApiDocs): Route<Principal>[] {
  let description: JsonSchema | undefined;
  const file = (path: string, found: URL | undefined) =>
    staticFileRoute<Principal>({ path, file: found, policy, open });
  const viewer = viewerFile('swagger-ui-bundle.js');
  return [
    {
      method: 'GET',
      path: '/openapi.json',
      open,
      handle: async (_request, response) => {
        description ??= describe();
        sendAnswer(response, 200, description);
      },
    },
    file('/docs', viewer && pageAsset('docs.html')),
    file('/docs/docs.js', pageAsset('docs.js')),
    file('/docs/docs.css', pageAsset('docs.css')),
    file('/docs/swagger-ui-bundle.js', viewer),
    file('/docs/swagger-ui.css', viewerFile('swagger-ui.css')),
  ];
}

/** The viewer sets styles on elements and has its icons in its style sheet. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** In a release the files are beside the page, compressed; in development the package has them. */
function viewerFile(name: ViewerFile): URL | undefined {
  const released = pageAsset(`swagger-ui/${name}.br`);
  if (existsSync(released)) return released;
  try {
    return new URL(inPackage[name]());
  } catch {
    return undefined;
  }
}

type ViewerFile = keyof typeof inPackage;

const inPackage = {
  'swagger-ui-bundle.js': () => import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js'),
  'swagger-ui.css': () => import.meta.resolve('swagger-ui-dist/swagger-ui.css'),
};

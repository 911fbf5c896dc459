// The platform inside the process that serves MCP. Loaded with the first call that needs it.

import { randomBytes } from 'node:crypto';
import { systemClock } from '../clock.ts';
import type { Settings } from '../config.ts';
import { localWorkspace } from '../config.ts';
import type { Upstream } from '../http-client/client.ts';
import type { Route } from '../http-server/handlers.ts';
import type { Service } from '../http-server/serve.ts';
import type { Log } from '../log.ts';
import { startPlatform } from '../platform/platform.ts';
import { Secret } from '../secret.ts';
import { platformOptions } from './platform-options.ts';
import { prepareDataFolder } from './prepare-data-folder.ts';

export interface Embedded {
  readonly service: Service;
  readonly upstream: Upstream;
}

/** How a person gets into its web page: the route gives the key. */
export interface PageAccess {
  readonly key: Secret;
  readonly route: Route;
}

/** Listens on a free port of 127.0.0.1, with a random key that ends with the process. */
export async function startEmbedded(
  settings: Settings,
  log: Log,
  page?: PageAccess,
): Promise<Embedded> {
  const key = new Secret(randomBytes(32).toString('base64url'));
  const service = await startPlatform({
    data: prepareDataFolder(undefined, settings.home, 'platform'),
    host: '127.0.0.1',
    port: 0,
    workspace: settings.workspace ?? localWorkspace,
    ...platformOptions(settings, 0),
    keys: [key],
    ...(page && { pageKey: page.key, routes: [page.route] }),
    log: log.part('platform'),
    clock: systemClock,
  });
  return { service, upstream: { url: service.url, credential: key, handle: service.handle } };
}

// `fovea http`: MCP over HTTP, for all who sign in.

import list from '../../tools/list.json' with { type: 'json' };
import { systemClock } from '../clock.ts';
import type { ServiceCommand } from '../commands.ts';
import { readSettings, type Settings } from '../config.ts';
import { scopes } from '../contract/scopes.ts';
import { recognised } from '../http-client/recognise-platform.ts';
import type { Service } from '../http-server/serve.ts';
import { createLog, type Log } from '../log.ts';
import { createScopeOf } from '../mcp/http/authorization.ts';
import { serversPerCaller } from '../mcp/http/servers-per-caller.ts';
import { mcpPath, startStreamableHttp } from '../mcp/http/streamable-http.ts';
import {
  createLazyIdempotency,
  type LazyIdempotency,
} from '../mcp/idempotency/lazy-idempotency.ts';
import {
  checkToolsets,
  type ListedTool,
  offeredOperations,
  toolsOverHttp,
} from '../mcp/tool-list.ts';
import { warnOfPlainText } from './authorization-server.ts';
import { embeddedBackend, type HttpBackend, hostedBackend } from './http-backend.ts';
import { pagePlaceOf } from './page-place.ts';
import { dataFolder } from './prepare-data-folder.ts';
import { runService } from './run-service.ts';

/** Serves until SIGTERM or SIGINT. Prints the URL on stdout once it answers. */
export async function runHttp(command: ServiceCommand, version: string): Promise<void> {
  const settings = await recognised(readSettings());
  checkToolsets(list, settings.toolsets);
  const log = createLog(settings.logLevel).part('http');
  const backend =
    settings.baseUrl === undefined
      ? await embeddedBackend({ command, settings, log })
      : await hostedBackend(settings.baseUrl, settings);
  const loadReconcilers = async () => (await import('../../tools/reconciliation.ts')).reconcilers;
  const idempotency = createLazyIdempotency(settings, log, loadReconcilers);
  const parts = { command, settings, version, log, idempotency: idempotency.get };
  const service = await start(backend, parts).catch(async (thrown) => {
    await backend.close();
    throw thrown;
  });
  warnOfPlainText(command.host, settings.publicUrl, log);
  log.info('The protocol is spoken here.', { path: mcpPath });
  runService({
    url: service.url,
    close: async () => {
      await service.close();
      await backend.close();
      await idempotency.close();
    },
  });
}

interface HttpServerOptions {
  readonly command: ServiceCommand;
  readonly settings: Settings;
  readonly version: string;
  readonly log: Log;
  readonly idempotency: LazyIdempotency['get'];
}

function start(backend: HttpBackend, parts: HttpServerOptions): Promise<Service> {
  const { command, settings, version, log, idempotency } = parts;
  const { host, port } = command;
  const { publicUrl, trustedProxies } = settings;
  const { routes, verify, issuer, onListening, clientOf } = backend;
  const data = dataFolder(command.data, settings.home, 'platform');
  const offered: readonly ListedTool[] = toolsOverHttp(list);
  const usable = offeredOperations(offered, settings);
  const needed = new Set([...usable.map(({ scope }) => scope), 'openid']);
  const makeServer = serversPerCaller({
    list: offered,
    loadTools: async () => {
      const { tools, pageTools } = await import('../../tools/index.ts');
      return [...tools, ...pageTools];
    },
    clientOf,
    pagePlace: () => pagePlaceOf(settings, 'unknown', data),
    settings,
    version,
    log,
    idempotency,
    clock: systemClock,
  });
  return startStreamableHttp({
    host,
    port,
    trustedProxies,
    routes,
    onListening,
    log,
    ...(publicUrl !== undefined && { publicUrl }),
    authorization: {
      verify,
      issuer,
      scopes: scopes.filter((scope) => needed.has(scope)),
      scopeOf: createScopeOf(usable, settings),
    },
    makeServer: (caller) => {
      if (caller === undefined) throw new Error('a request came without a caller');
      return makeServer(caller);
    },
    clock: systemClock,
  });
}

// `fovea http`: the Model Context Protocol over HTTP, for whoever signs in.

import list from '../../tools/list.json' with { type: 'json' };
import { systemClock } from '../clock.ts';
import type { ServiceCommand } from '../command-line.ts';
import { readSettings, type Settings } from '../config.ts';
import { scopes } from '../contract/scopes.ts';
import type { Service } from '../http-server/service.ts';
import { createLog, type Log } from '../log.ts';
import { callerServers } from '../mcp/http/caller-servers.ts';
import { mcpPath, startMcpHttp } from '../mcp/http/mcp-http.ts';
import { offeredOverHttp } from '../mcp/http/offered.ts';
import { adapt, checkToolsets, type ListedTool } from '../mcp/surface.ts';
import { warnOfPlainText } from './authorization-server.ts';
import { embeddedBackend, type HttpBackend, hostedBackend } from './http-backend.ts';
import { runService } from './run-service.ts';

/** Serves until SIGTERM or SIGINT. Prints the URL on stdout once it answers. */
export async function runHttp(command: ServiceCommand, version: string): Promise<void> {
  const settings = readSettings();
  checkToolsets(list, settings.toolsets);
  const log = createLog(settings.logLevel).part('http');
  const backend =
    settings.baseUrl === undefined
      ? await embeddedBackend({ command, settings, log })
      : await hostedBackend(settings.baseUrl, settings);
  const service = await start(backend, { command, settings, version, log }).catch(
    async (thrown) => {
      await backend.close();
      throw thrown;
    },
  );
  warnOfPlainText(command.host, settings.publicUrl, log);
  log.info('The protocol is spoken here.', { path: mcpPath });
  runService({
    url: service.url,
    close: async () => {
      await service.close();
      await backend.close();
    },
  });
}

interface Parts {
  readonly command: ServiceCommand;
  readonly settings: Settings;
  readonly version: string;
  readonly log: Log;
}

function start(backend: HttpBackend, { command, settings, version, log }: Parts): Promise<Service> {
  const { host, port } = command;
  const { publicUrl } = settings;
  const { routes, verify, issuer, onListening, clientOf } = backend;
  const offered: readonly ListedTool[] = offeredOverHttp(list);
  const usable = adapt(offered, settings);
  const scopeByTool = new Map(usable.map(({ name, scope }) => [name, scope]));
  const needed = new Set([...scopeByTool.values(), 'openid']);
  const makeServer = callerServers({
    list: offered,
    loadTools: async () => (await import('../../tools/index.ts')).tools,
    ...{ clientOf, settings, version, log },
    clock: systemClock,
  });
  return startMcpHttp({
    ...{ host, port, routes, onListening, log },
    ...(publicUrl !== undefined && { publicUrl }),
    admission: {
      ...{ verify, issuer },
      scopes: scopes.filter((scope) => needed.has(scope)),
      scopeOf: (tool) => scopeByTool.get(tool),
    },
    makeServer: (caller) => {
      if (caller === undefined) throw new Error('a request came without a caller');
      return makeServer(caller);
    },
    clock: systemClock,
  });
}

// Finds or starts what the tools talk to, with the first call that needs it.

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { systemClock } from '../clock.ts';
import type { Settings } from '../config.ts';
import type { Client, Upstream } from '../http-client/client.ts';
import type { Service } from '../http-server/service.ts';
import type { Log } from '../log.ts';
import { Secret } from '../secret.ts';

/** The one workspace of the embedded platform, where FOVEA_WORKSPACE names no other. */
export const localWorkspace = 'local';

export interface Services {
  /** One client for the whole process; it reaches all services. */
  client(): Promise<Client>;
  /** Closes sockets and stops what was started here. */
  close(): Promise<void>;
}

/** On the embedded platform the workspace is known, so no call has to name it. */
export function withWorkspace(settings: Settings): Settings {
  const isEmbedded = settings.baseUrl === undefined;
  return isEmbedded ? { ...settings, workspace: settings.workspace ?? localWorkspace } : settings;
}

export function connectServices(settings: Settings, log: Log): Services {
  const platform = once(() => startEmbedded(settings, log));
  const base = async (): Promise<Upstream> =>
    settings.baseUrl === undefined
      ? (await platform.get()).upstream
      : { url: settings.baseUrl, credential: settings.apiKey };
  const device = async (): Promise<Upstream> => findEventStore(settings);
  const client = once(async () => {
    const { createClient } = await import('../http-client/create-client.ts');
    const { timeoutMs } = settings;
    return createClient({ upstreams: { base, device }, clock: systemClock, timeoutMs });
  });
  return {
    client: client.get,
    close: async () => {
      await (await client.started())?.close();
      await (await platform.started())?.service.close();
    },
  };
}

interface Embedded {
  readonly service: Service;
  readonly upstream: Upstream;
}

/** The platform inside this process, on a free port, with a key that nobody else has. */
async function startEmbedded(settings: Settings, log: Log): Promise<Embedded> {
  const { startPlatform } = await import('../platform/platform.ts');
  const sessionKey = new Secret(randomBytes(32).toString('base64url'));
  const service = await startPlatform({
    data: join(settings.home, 'platform'),
    host: '127.0.0.1',
    port: 0,
    workspace: settings.workspace ?? localWorkspace,
    keys: [sessionKey],
    log: log.part('platform'),
    clock: systemClock,
  });
  return { service, upstream: { url: service.url, credential: sessionKey } };
}

/** Where the second document says that an Event Store answers. */
const eventStoreUrl = 'http://127.0.0.1:8001';

async function findEventStore(settings: Settings): Promise<Upstream> {
  const url = settings.deviceUrl ?? eventStoreUrl;
  return { url, credential: settings.deviceApiKey };
}

/** Starts something once; a start that failed is tried again by the next caller. */
function once<Value>(start: () => Promise<Value>) {
  let running: Promise<Value> | undefined;
  return {
    get: (): Promise<Value> => {
      running ??= start().catch((thrown) => {
        running = undefined;
        throw thrown;
      });
      return running;
    },
    /** What was started, if anything; a start under way is waited for. */
    started: async (): Promise<Value | undefined> => running?.catch(() => undefined),
  };
}

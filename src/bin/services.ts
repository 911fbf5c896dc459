// Finds or starts what the tools talk to, with the first call that needs it.

import { systemClock } from '../clock.ts';
import type { Settings } from '../config.ts';
import type { Client, Upstream } from '../http-client/client.ts';
import type { Log } from '../log.ts';

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
  const platform = once(async () => (await import('./embedded.ts')).startEmbedded(settings, log));
  // Beside a hosted platform it does what needs no platform of others, such as previews of files.
  const local = async (): Promise<Upstream> => (await platform.get()).upstream;
  const base = async (): Promise<Upstream> =>
    settings.baseUrl === undefined
      ? local()
      : { url: settings.baseUrl, credential: settings.apiKey };
  const device = async (): Promise<Upstream> => findEventStore(settings);
  const client = once(async () => {
    const { createClient } = await import('../http-client/create-client.ts');
    const { timeoutMs } = settings;
    return createClient({ upstreams: { base, device, local }, clock: systemClock, timeoutMs });
  });
  return {
    client: client.get,
    close: async () => {
      await (await client.started())?.close();
      await (await platform.started())?.service.close();
    },
  };
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

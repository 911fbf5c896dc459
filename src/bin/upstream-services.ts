// Finds or starts the services that the tools call, with the first call that needs each.

import { systemClock } from '../clock.ts';
import type { Settings } from '../config.ts';
import { invalidArgument } from '../errors.ts';
import type { Client, Upstream } from '../http-client/client.ts';
import { lazyStart } from '../lazy-start.ts';
import type { Log } from '../log.ts';
import type { EventStorePlace } from '../mcp/tool.ts';
import type { Account } from '../sign-in/session.ts';
import type { SignInFlow } from '../sign-in/sign-in-flow.ts';

export interface UpstreamServices {
  /** One client for the whole process; it reaches all services. */
  client(): Promise<Client>;
  /** Starts nothing. Throws `invalid_input` where a setting would prevent the start. */
  eventStorePlace(): Promise<EventStorePlace>;
  /** Loads the code for signing in, and sends nothing yet. */
  signIn(): Promise<SignInFlow>;
  /**
   * The account that is signed in now, since another process may have changed it; undefined: nobody
   * is signed in, an API key is set, or the account cannot be read.
   */
  account(): Promise<Account | undefined>;
  /** Closes sockets and stops the services that were started here. */
  close(): Promise<void>;
}

export function connectUpstreamServices(settings: Settings, log: Log): UpstreamServices {
  const platform = lazyStart(async () =>
    (await import('./embedded-platform.ts')).startEmbedded(settings, log),
  );
  // Also used beside a hosted platform, for operations that only ours has, such as previews of
  // files.
  const local = async (): Promise<Upstream> => (await platform.get()).upstream;
  const signIn = lazyStart(async () =>
    (await import('./open-sign-in.ts')).openSignIn(settings, log),
  );
  const base = async (): Promise<Upstream> => {
    const { baseUrl: url, apiKey } = settings;
    if (url === undefined) return local();
    // An API key in the settings takes precedence over a sign-in.
    if (apiKey !== undefined) return { url, credential: apiKey };
    const { session } = await signIn.get();
    const credential = await session?.accessToken();
    if (session === undefined) return { url, credential };
    return { url, credential, isAccessToken: true, renew: session.renew.bind(session) };
  };
  const serverless = async (): Promise<Upstream> => {
    const { baseUrl, serverlessUrl: url, apiKey } = settings;
    if (url !== undefined) return { url, credential: apiKey };
    if (baseUrl === undefined) return local();
    throw invalidArgument(
      'FOVEA_SERVERLESS_URL',
      'is needed to run models of the hosted platform',
      'Set it to the address at which they run.',
    );
  };
  const eventStore = connectEventStore(settings, log);
  const client = lazyStart(async () => {
    const { createClient } = await import('../http-client/create-client.ts');
    const { timeoutMs, proxies } = settings;
    const upstreams = { base, device: eventStore.upstream, local, serverless };
    return createClient({ upstreams, clock: systemClock, timeoutMs, proxies });
  });
  return {
    client: client.get,
    eventStorePlace: eventStore.place,
    signIn: async () => (await signIn.get()).flow,
    account: async () => {
      if (settings.baseUrl === undefined || settings.apiKey !== undefined) return undefined;
      const { session } = await signIn.get();
      // Unreadable tokens fail the calls that need them, not signing out.
      return session?.account().catch(() => undefined);
    },
    close: async () => {
      await (await client.started())?.close();
      await Promise.all([
        (await platform.started())?.service.close(),
        (await signIn.started())?.close(),
        eventStore.close(),
      ]);
    },
  };
}

/**
 * The Event Store of the settings, else the one that answers at the usual address, else one in this
 * process. Chosen once, so that the events of a session are in one store.
 */
function connectEventStore(settings: Settings, log: Log) {
  const { deviceUrl, deviceApiKey } = settings;
  const started = lazyStart(async () =>
    (await import('./embedded-event-store.ts')).startEmbeddedEventStore(settings, log),
  );
  const find = async (): Promise<EventStorePlace> => {
    if (deviceUrl !== undefined) return { kind: 'named', url: deviceUrl };
    const { eventStoreAnswers, eventStoreUrl } = await import('./find-event-store.ts');
    const isThere = await eventStoreAnswers();
    return isThere ? { kind: 'found', url: eventStoreUrl } : { kind: 'none', url: undefined };
  };
  const chosen = lazyStart(async (): Promise<EventStorePlace & { upstream: Upstream }> => {
    const place = await find();
    if (place.url !== undefined) {
      return { ...place, upstream: { url: place.url, credential: deviceApiKey } };
    }
    const { upstream } = await started.get();
    return { kind: 'embedded', url: upstream.url, upstream };
  });
  return {
    upstream: async (): Promise<Upstream> => (await chosen.get()).upstream,
    place: async (): Promise<EventStorePlace> => {
      const { kind, url } = (await chosen.started()) ?? (await find());
      // A store that cannot be started should be reported before it is needed.
      if (kind === 'none') (await import('../event-store-config.ts')).readEventStoreSettings();
      return { kind, url };
    },
    close: async () => {
      // A pending choice may be about to start one.
      await chosen.started();
      await (await started.started())?.service.close();
    },
  };
}

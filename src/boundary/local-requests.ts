// Keeps web pages and rebound names away from a local service, by the Host and Origin headers.

import { FoveaError } from '../errors.ts';

export interface LocalService {
  readonly port: number;
  /** The host that it listens on, in the form of a URL; the loopback names are ours anyway. */
  readonly host?: string;
  /** More hosts that are ours, for example `fovea.example.org`; without a port, also with ours. */
  readonly allowedHosts?: readonly string[];
}

/** All values of the two headers, as they came. */
export interface SourceHeaders {
  readonly host: readonly string[] | undefined;
  readonly origin: readonly string[] | undefined;
}

/**
 * A check of the requests to a service, which gives the Host header of one that may be answered. It
 * throws `forbidden` unless there is exactly one Host that is ours and, where there is an Origin,
 * it is ours too. `null` never is.
 */
export function localRequests(service: LocalService): (headers: SourceHeaders) => string {
  const local = localHosts(service);
  const allowed = (service.allowedHosts ?? []).flatMap((name) => withPort(name, service.port));
  const hosts = new Set([...local, ...allowed]);
  const origins = new Set([
    ...local.map((name) => `http://${name}`),
    ...allowed.flatMap((name) => [`http://${name}`, `https://${name}`]),
  ]);
  return ({ host = [], origin = [] }) => {
    const [authority = ''] = host;
    if (host.length !== 1 || !hosts.has(authority.toLowerCase())) {
      throw new FoveaError('forbidden', 'The Host header names another service.', {
        hint: `Call http://127.0.0.1:${service.port}. FOVEA_PUBLIC_URL sets the host of a proxy before it; of the Event Store ALLOWED_HOSTS does.`,
      });
    }
    if (origin.length > 1 || origin.some((value) => !origins.has(value.toLowerCase()))) {
      throw new FoveaError('forbidden', 'Pages of other origins may not call this service.');
    }
    return authority;
  };
}

/** A host that is given without a port is ours with the port too. */
function withPort(name: string, port: number): string[] {
  const host = name.toLowerCase();
  return /:\d+$/.test(host) ? [host] : [host, `${host}:${port}`];
}

function localHosts({ port, host = 'localhost' }: LocalService): string[] {
  const names = ['127.0.0.1', 'localhost', '[::1]', host];
  const all = names.map((name) => `${name}:${port}`);
  return port === 80 ? [...all, ...names] : all;
}

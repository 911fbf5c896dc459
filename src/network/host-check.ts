// Checks the Host and Origin headers of requests to a local service, against DNS rebinding and
// pages of other origins.

import { FoveaError } from '../errors.ts';

export interface LocalService {
  readonly port: number;
  /** The host that it listens on, as in a URL; loopback names are always accepted. */
  readonly host?: string;
  /** More accepted hosts, for example `fovea.example.org`; without a port, also with that above. */
  readonly allowedHosts?: readonly string[];
}

/** All values of the two headers. */
export interface RequestHosts {
  readonly host: readonly string[] | undefined;
  readonly origin: readonly string[] | undefined;
}

/**
 * A check of requests, which returns the Host header. It throws `forbidden` unless there is exactly
 * one Host, which is accepted, and the Origin, if any, is accepted too. `null` never is.
 */
export function createHostCheck(service: LocalService): (headers: RequestHosts) => string {
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

/** A host without a port is accepted with the port of the service, too. */
function withPort(name: string, port: number): string[] {
  const host = name.toLowerCase();
  return /:\d+$/.test(host) ? [host] : [host, `${host}:${port}`];
}

function localHosts({ port, host = 'localhost' }: LocalService): string[] {
  const names = ['127.0.0.1', 'localhost', '[::1]', host];
  const all = names.map((name) => `${name}:${port}`);
  return port === 80 ? [...all, ...names] : all;
}

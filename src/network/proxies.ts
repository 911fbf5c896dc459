// HTTP proxies from the environment, which is read as curl reads it, and the proxy for a URL.

import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { invalidArgument } from '../errors.ts';
import type { Secret } from '../secret.ts';
import { isLoopbackHost } from './loopback.ts';

export interface HttpProxy {
  /** Scheme, host and port, without credentials. */
  readonly origin: string;
  /** Host and port, for people. */
  readonly host: string;
  /** The variable that names it. */
  readonly setting: string;
  /** The value of `proxy-authorization`; undefined if the proxy needs none. */
  readonly authorization: Secret | undefined;
  /** Why the value of the variable is not a usable proxy; the other members are empty then. */
  readonly wrong?: string;
}

export interface Proxies {
  /** For addresses with http. */
  readonly http: HttpProxy | undefined;
  /** For addresses with https. */
  readonly https: HttpProxy | undefined;
  /** Entries of NO_PROXY: names with all below them, IP addresses, networks, or `*`. */
  readonly except: readonly string[];
}

/**
 * The proxy for an address; undefined: it is reached directly. This machine always is, so that no
 * service of our own is asked for elsewhere. Throws `invalid_input` where the variable that would
 * say it is wrong.
 */
export function proxyFor(url: URL, proxies: Proxies | undefined): HttpProxy | undefined {
  if (proxies === undefined) return undefined;
  const proxy = url.protocol === 'https:' ? proxies.https : proxies.http;
  if (proxy === undefined || isThisMachine(url.hostname)) return undefined;
  const host = plainHost(url.hostname);
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  if (proxies.except.some((entry) => covers(entry, host, port))) return undefined;
  if (proxy.wrong !== undefined) throw invalidArgument(proxy.setting, proxy.wrong);
  return proxy;
}

function isThisMachine(hostname: string): boolean {
  const name = hostname.replace(/\.$/, '');
  return isLoopbackHost(name) || name.endsWith('.localhost');
}

/** Without the brackets of IPv6, the dot at the end, and capitals. */
function plainHost(hostname: string): string {
  return hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();
}

/** Whether an entry of NO_PROXY means a host. One that cannot be read means none, as in curl. */
function covers(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  const [, named = entry, only = port] = /^(\[[^\]]*\]|[^:]+):(\d+)$/.exec(entry) ?? [];
  if (only !== port) return false;
  const name = plainHost(named.replace(/^\*?\./, ''));
  if (isIP(host)) return name.includes('/') ? isInNetwork(host, name) : name === host;
  return host === name || host.endsWith(`.${name}`);
}

function isInNetwork(host: string, network: string): boolean {
  if (!ipaddr.isValidCIDR(network)) return false;
  const address = ipaddr.process(host);
  const [base, bits] = ipaddr.parseCIDR(network);
  return address.kind() === base.kind() && address.match(base, bits);
}

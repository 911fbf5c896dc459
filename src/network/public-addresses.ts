// Tells public network addresses from private ones, against server-side request forgery.

import { lookup } from 'node:dns';
import { lookup as lookUp } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import ipaddr from 'ipaddr.js';
import { limits } from '../limits.ts';

/** The failure of a connection to a host that has an address which is not public. */
export class NotPublicError extends Error {
  override readonly name = 'NotPublicError';
  readonly code = 'ERR_ADDRESS_NOT_PUBLIC';

  constructor() {
    super('The host has an address that is not public.');
  }
}

/**
 * Whether an IP address is one of the public internet. False for loopback, private, link-local,
 * multicast and reserved ones, for IPv6 forms that carry an IPv4 address, and for anything else.
 */
export function isPublicAddress(ip: string): boolean {
  if (!isIP(ip) || ip.includes('%')) return false;
  const address = ipaddr.process(ip);
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || address.match(globalUnicast);
}

/**
 * Whether the hostname of a parsed URL may be public: a name (its addresses are for `publicLookup`
 * to judge) or a public address. The URL parser has already made plain addresses of other
 * spellings, such as 2130706433 or 0x7f.1.
 */
export function isPublicHostname(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (isIP(host) || host.includes(':')) return isPublicAddress(host);
  return host !== '' && host !== 'localhost' && !host.endsWith('.localhost');
}

/**
 * For `connect.lookup`: resolves a name and fails with a `NotPublicError` when one of its addresses
 * is not public. The connection goes to an address that was checked, so a second answer of the name
 * server changes nothing. Sockets do not look up literal addresses: check those beforehand.
 */
export const publicLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    const [first] = addresses ?? [];
    if (error) return callback(error, []);
    if (!first || !addresses.every(({ address }) => isPublicAddress(address))) {
      return callback(new NotPublicError(), []);
    }
    if (options.all) callback(null, addresses);
    else callback(null, first.address, first.family);
  });
};

/** The IPv6 range of the public internet (RFC 4291, section 2.4). */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether a host may be asked of a proxy, which looks its name up by itself: it has a name of the
 * public internet, or a public address, and no address as seen from here is other than public. A
 * name that cannot be looked up here passes: behind many proxies none can.
 */
export async function mayBePublicElsewhere(hostname: string): Promise<boolean> {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (isIP(host)) return isPublicAddress(host);
  if (!isPublicHostname(host) || !host.includes('.') || privateName.test(host)) return false;
  const found = lookUp(host, { all: true }).catch(() => []);
  const given = await Promise.race([found, wait(limits.proxyLookupMsMax, [], { ref: false })]);
  return given.every(({ address }) => isPublicAddress(address));
}

/** RFC 6761, RFC 6762, RFC 8375, and what networks use for themselves. */
const privateName =
  /\.(local|localhost|internal|intranet|private|corp|home|lan|localdomain|test|invalid|home\.arpa)$/i;

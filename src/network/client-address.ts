// The address of the client of a request, also behind trusted proxies.

import { isIP, isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { limits } from '../limits.ts';

/** What tells the address of a client. Header values in the order in which they came. */
export interface AddressedRequest {
  /** Of the socket. */
  readonly peer: string;
  /** All values of `X-Forwarded-For`. */
  readonly forwardedFor: readonly string[];
  /** All values of `Forwarded` (RFC 7239). */
  readonly forwarded: readonly string[];
}

/** The proxies whose headers are believed: addresses, or networks as `10.0.0.0/8`. */
export type TrustedProxies = readonly string[];

/** A proxy on this machine: trusted if a public URL says that there is one. */
export const loopbackProxies: TrustedProxies = ['127.0.0.0/8', '::1/128'];

/** Parses the setting: addresses and networks, or `none`. `wrong` says what would be right. */
export function parseProxies(
  text: string,
): { readonly value: TrustedProxies } | { readonly wrong: string } {
  if (text === 'none') return { value: [] };
  const list = text.split(/[\s,]+/).filter((entry) => entry !== '');
  return list.every((entry) => networkAt(entry) !== undefined)
    ? { value: list }
    : { wrong: 'must be addresses or networks, for example "127.0.0.1, 10.0.0.0/8", or none' };
}

/**
 * Finds the address of the client: that of the peer, and where the peer is a trusted proxy, the
 * last address of the header that is not one (RFC 7239 section 5.2). Names that hide an address,
 * and two headers that disagree, prove nothing: then the last proxy stands for its clients.
 */
export function clientAddresses(trusted: TrustedProxies): (request: AddressedRequest) => string {
  const networks = trusted.map(networkAt).filter((network) => network !== undefined);
  const isTrusted = (address: string) => {
    const parsed = ipaddr.process(address);
    return networks.some(
      ([base, bits]) => parsed.kind() === base.kind() && parsed.match(base, bits),
    );
  };
  const behind = (peer: string, hops: readonly string[]) => {
    let address = peer;
    for (const text of hops.slice(-limits.proxiesInRowMax).toReversed()) {
      const hop = hopAddress(text);
      if (hop === undefined || !isTrusted(address)) return address;
      address = hop;
    }
    return address;
  };
  return ({ peer, forwardedFor, forwarded }) => {
    const known = plainAddress(peer);
    if (known === undefined) return peer;
    if (networks.length === 0 || !isTrusted(known)) return known;
    const older = behind(
      known,
      forwardedFor.flatMap((value) => value.split(',')),
    );
    if (forwarded.length === 0) return older;
    const newer = behind(known, forwarded.flatMap(elements));
    return forwardedFor.length === 0 || older === newer ? newer : known;
  };
}

/**
 * The network of one customer: the first 64 bits of an IPv6 address, since a customer gets all
 * addresses with these bits (RFC 6177). Other addresses are returned unchanged.
 */
export function customerNetwork(address: string): string {
  const plain = plainAddress(address);
  if (plain === undefined || !plain.includes(':')) return plain ?? address;
  const { parts } = ipaddr.IPv6.parse(plain);
  return `${parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}

/** Without a zone, and IPv4 in its own spelling; undefined for anything else. */
function plainAddress(text: string): string | undefined {
  // The usual case, of every request: there is one spelling only.
  if (isIPv4(text)) return text;
  const [bare = ''] = text.split('%');
  return isIP(bare) === 0 ? undefined : ipaddr.process(bare).toString();
}

type Network = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

function networkAt(entry: string): Network | undefined {
  const [address = '', bits, ...more] = entry.split('/');
  if (isIP(address) === 0 || more.length > 0) return undefined;
  const base = ipaddr.parse(address);
  const all = base.kind() === 'ipv4' ? 32 : 128;
  if (bits === undefined) return [base, all];
  return /^\d{1,3}$/.test(bits) && Number(bits) <= all ? [base, Number(bits)] : undefined;
}

/** One hop of either header: an address, perhaps quoted, with brackets or a port. */
function hopAddress(hop: string): string | undefined {
  const [, quoted, plain] = /^(?:"([^"\\]*)"|([^"\s]*))$/.exec(hop.trim()) ?? [];
  const given = quoted ?? plain ?? '';
  const [, inner, withPort] = /^(?:\[([^\]]+)\](?::\d{1,5})?|([\d.]+):\d{1,5})$/.exec(given) ?? [];
  return plainAddress(inner ?? withPort ?? given);
}

/**
 * The `for` of each element of a Forwarded header; an element without one hides its client. Read
 * from the right, where the nearest proxy wrote: what a client left open on the left ends there.
 */
function elements(value: string): readonly string[] {
  const parts: string[] = [];
  let end = value.length;
  let isQuoted = false;
  for (let at = value.length - 1; at >= 0; at -= 1) {
    if (value[at] === '"') isQuoted = !isQuoted;
    if (value[at] !== ',' || isQuoted) continue;
    parts.push(value.slice(at + 1, end));
    end = at;
  }
  parts.push(value.slice(0, end));
  return parts
    .toReversed()
    .map((element) => /(?:^|;)\s*for=("[^"]*"|[^;\s]*)/i.exec(element.trim())?.[1] ?? '');
}

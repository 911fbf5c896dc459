// The address of the client of a request, also behind proxies, for rate limits and logs.

import type { IncomingMessage } from 'node:http';
import {
  clientAddresses,
  customerNetwork,
  type TrustedProxies,
} from '../network/client-address.ts';
import { headerValues } from './header-values.ts';

const recorded = new WeakMap<IncomingMessage, string>();

/** A function that records the address of each request; `trusted` are the proxies in front. */
export function recordAddresses(trusted: TrustedProxies): (request: IncomingMessage) => void {
  if (trusted.length === 0) return () => {};
  const find = clientAddresses(trusted);
  return (request) => {
    const address = find({
      peer: request.socket.remoteAddress ?? '',
      forwardedFor: headerValues(request, 'x-forwarded-for') ?? [],
      forwarded: headerValues(request, 'forwarded') ?? [],
    });
    recorded.set(request, address);
  };
}

/** The client's address; that of the socket unless a trusted proxy names another. */
export function clientAddress(request: IncomingMessage): string {
  return recorded.get(request) ?? request.socket.remoteAddress ?? '';
}

/** The caller of a request without a credential: its address, or its network for IPv6. */
export function clientNetwork(request: IncomingMessage): string {
  return customerNetwork(clientAddress(request));
}

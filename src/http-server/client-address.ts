// The address of the client of a request, behind proxies too, for whoever limits or logs by it.

import type { IncomingMessage } from 'node:http';
import {
  clientAddresses,
  customerNetwork,
  type TrustedProxies,
} from '../boundary/client-address.ts';
import { headerValues } from './header-values.ts';

const noted = new WeakMap<IncomingMessage, string>();

/** Notes the address of each request that is given to it; `trusted` are the proxies before us. */
export function noteAddresses(trusted: TrustedProxies): (request: IncomingMessage) => void {
  if (trusted.length === 0) return () => {};
  const find = clientAddresses(trusted);
  return (request) => {
    const address = find({
      peer: request.socket.remoteAddress ?? '',
      forwardedFor: headerValues(request, 'x-forwarded-for') ?? [],
      forwarded: headerValues(request, 'forwarded') ?? [],
    });
    noted.set(request, address);
  };
}

/** The client's address; that of the socket unless a trusted proxy names another. */
export function clientAddress(request: IncomingMessage): string {
  return noted.get(request) ?? request.socket.remoteAddress ?? '';
}

/** In whose name a request without a credential counts: an address, of IPv6 its network. */
export function clientNetwork(request: IncomingMessage): string {
  return customerNetwork(clientAddress(request));
}

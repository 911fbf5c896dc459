// Makes requests carry the issuer's host, whatever Host and forwarding headers they came with.

import type { IncomingMessage } from 'node:http';

/**
 * The library builds URLs from the Host header; they must be the issuer's, whatever a client or
 * proxy sends. `rawHeaders` stay unchanged.
 */
export function useIssuerHost(request: IncomingMessage, issuer: URL): void {
  for (const name of Object.keys(request.headers)) {
    if (name.startsWith('x-forwarded-')) delete request.headers[name];
  }
  request.headers.host = issuer.host;
  if (issuer.protocol === 'https:') request.headers['x-forwarded-proto'] = 'https';
}

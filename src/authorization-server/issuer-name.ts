// The name under which the service is known, whatever a request calls it.

import type { IncomingMessage } from 'node:http';

/**
 * The library makes addresses of the Host header. They must be those of the issuer, whatever name
 * the request came under and whatever a proxy, or somebody who plays one, says. The headers as they
 * came (`rawHeaders`) stay.
 */
export function nameIssuer(request: IncomingMessage, issuer: URL): void {
  for (const name of Object.keys(request.headers)) {
    if (name.startsWith('x-forwarded-')) delete request.headers[name];
  }
  request.headers.host = issuer.host;
  if (issuer.protocol === 'https:') request.headers['x-forwarded-proto'] = 'https';
}

// Authentication by API key (Event Store 13.1 to 13.4).

import type { IncomingMessage } from 'node:http';
import { FoveaError } from '../errors.ts';
import type { CredentialPlaces } from '../http-server/credentials.ts';
import { headerValues } from '../http-server/header-values.ts';
import { Secret } from '../secret.ts';

/** There is only one key, so callers have no identity. */
export interface Caller {
  readonly isKnown: true;
}

const known: Caller = { isKnown: true };

/** The header X-API-Key; browsers, which cannot send it, may read with HTTP Basic. */
export const deviceCredentials: CredentialPlaces = {
  presented: (request) => {
    const [key] = headerValues(request, 'x-api-key') ?? [basicPassword(request)];
    return key === undefined || key === '' ? undefined : new Secret(key);
  },
  parameter: undefined,
  refusal: (presented) =>
    new FoveaError(
      'unauthenticated',
      presented ? 'The API key is not the right one.' : 'This request needs an API key.',
      { hint: 'Send it in the header X-API-Key.' },
    ),
};

/** Accepts every caller where no key is set. */
export function createKeyCheck(
  key: Secret | undefined,
): (presented: Secret | undefined) => Promise<Caller | undefined> {
  if (key === undefined) return async () => known;
  return async (presented) => (presented?.equals(key) ? known : undefined);
}

/** For GET and HEAD only: other sites could make a browser send it with other methods. */
function basicPassword({ method, headers }: IncomingMessage): string | undefined {
  if (method !== 'GET' && method !== 'HEAD') return undefined;
  const [, encoded] = /^basic +([\w+/=-]+)$/i.exec(headers.authorization ?? '') ?? [];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  return text.slice(text.indexOf(':') + 1);
}

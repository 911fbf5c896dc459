// Where a request carries its credential (first document, Authentication).

import type { IncomingMessage } from 'node:http';
import { FoveaError, invalidArgument } from '../errors.ts';
import { Secret } from '../secret.ts';
import type { Texts } from './request-body.ts';

/** The name of the API key in a query and in the body of a POST. */
const keyName = 'api_key';

/** The credential in the Authorization header or the query. Two different ones are refused. */
export function presentedCredential(request: IncomingMessage, query: Texts): Secret | undefined {
  const headers = request.headersDistinct.authorization ?? [];
  const tokens = headers.map((header) => /^bearer +(\S+) *$/i.exec(header)?.[1] ?? '');
  const [first, ...others] = new Set([...tokens, ...(query[keyName] ?? [])].filter(Boolean));
  if (others.length > 0) throw twoCredentials();
  return first === undefined ? undefined : new Secret(first);
}

/** The query without the credential. */
export function withoutKey<Value>(members: Readonly<Record<string, Value>>): Record<string, Value> {
  return Object.fromEntries(Object.entries(members).filter(([name]) => name !== keyName));
}

/**
 * The credential of a POST that may also carry it in its JSON body. Throws `invalid_input` when it
 * is no text, or another one than `presented`.
 */
export function credentialWithBody(
  presented: Secret | undefined,
  body: Readonly<Record<string, unknown>>,
): Secret | undefined {
  const inBody = body[keyName];
  if (inBody === undefined || inBody === '') return presented;
  if (typeof inBody !== 'string') throw invalidArgument(keyName, 'expected a text');
  if (presented && presented.reveal() !== inBody) throw twoCredentials();
  return presented ?? new Secret(inBody);
}

export function unauthenticated(presented: Secret | undefined): FoveaError {
  const message = presented
    ? 'The credential is unknown or no longer valid.'
    : 'This request needs a credential.';
  return new FoveaError('unauthenticated', message, {
    hint: `Send an API key or access token as "Authorization: Bearer", or the key as ${keyName}.`,
  });
}

function twoCredentials(): FoveaError {
  return invalidArgument(keyName, 'the request carries two different credentials, send one');
}

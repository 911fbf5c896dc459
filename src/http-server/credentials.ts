// Where a request carries its credential: as the platform takes it, and as the Event Store does.

import type { IncomingMessage } from 'node:http';
import { FoveaError, invalidArgument } from '../errors.ts';
import { Secret } from '../secret.ts';
import type { Texts } from './body-parsing.ts';

/**
 * Where a request carries its credential. A parameter stands in addresses, which are written down
 * in many places, so it counts also where a header says the same (RFC 9700 section 4.3.2).
 */
export type CredentialPlace = 'header' | 'parameter';

/** Where a service looks for credentials. */
export interface CredentialPlaces {
  /** What the headers and the query present. Throws `invalid_input` for two different ones. */
  presented(request: IncomingMessage, query: Texts): Secret | undefined;
  /** The parameter, also of a JSON body, that carries a credential and is no input. */
  readonly parameter: string | undefined;
  /** What a service answers whom it does not know. */
  refusal(presented: Secret | undefined): FoveaError;
}

/** The name of the API key in a query and in the body of a POST. */
const keyName = 'api_key';

/** API 25.1 to 25.4. */
export const platformCredentials: CredentialPlaces = {
  presented: presentedCredential,
  parameter: keyName,
  refusal: unauthenticated,
};

/** The credential in the Authorization header or the query. Two different ones are refused. */
function presentedCredential(request: IncomingMessage, query: Texts): Secret | undefined {
  const headers = request.headersDistinct.authorization ?? [];
  const tokens = headers.map((header) => /^bearer +(\S+) *$/i.exec(header)?.[1] ?? '');
  const [first, ...others] = new Set([...tokens, ...(query[keyName] ?? [])].filter(Boolean));
  if (others.length > 0) throw twoCredentials();
  return first === undefined ? undefined : new Secret(first);
}

/** Where the headers and the query of a request carry its credential. */
export function credentialPlace({ parameter }: CredentialPlaces, query: Texts): CredentialPlace {
  const values = parameter === undefined ? [] : (query[parameter] ?? []);
  return values.some(Boolean) ? 'parameter' : 'header';
}

/** The members without the credential. */
export function withoutKey<Value>(
  { parameter }: CredentialPlaces,
  members: Readonly<Record<string, Value>>,
): Readonly<Record<string, Value>> {
  if (parameter === undefined || !Object.hasOwn(members, parameter)) return members;
  return Object.fromEntries(Object.entries(members).filter(([name]) => name !== parameter));
}

/**
 * The credential in the JSON body of a POST, if there is one. Throws `invalid_input` when it is no
 * text, or another one than `presented`.
 */
export function credentialInBody(
  { parameter }: CredentialPlaces,
  presented: Secret | undefined,
  body: Readonly<Record<string, unknown>>,
): Secret | undefined {
  const inBody = parameter === undefined ? undefined : body[parameter];
  if (inBody === undefined || inBody === '') return undefined;
  if (typeof inBody !== 'string') throw invalidArgument(keyName, 'expected a text');
  if (presented && !presented.equals(new Secret(inBody))) throw twoCredentials();
  return new Secret(inBody);
}

function unauthenticated(presented: Secret | undefined): FoveaError {
  const message = presented
    ? 'The credential is unknown or no longer valid.'
    : 'This request needs a credential.';
  return new FoveaError('unauthenticated', message, {
    hint: `Send an API key or access token as "Authorization: Bearer", or the key as ${keyName}.`,
    ...(presented && { challenge: { error: 'invalid_token' } }),
  });
}

function twoCredentials(): FoveaError {
  return invalidArgument(keyName, 'the request carries two different credentials, send one');
}

// Who a client is, as people are told: its name, and how it proves that the name is its own.

import type { Client } from 'oidc-provider';
import { hasLoopbackHost } from './application-validation.ts';
import { displayNameProblem } from './name-validation.ts';
import type { ClientProof, Consent } from './store/connection-store.ts';

/** Metadata documents may have names that are not allowed here: then the host of the document. */
export function nameOfClient({ clientName = '', clientId }: Client): string {
  const name = clientName.trim();
  return displayNameProblem(name) === undefined ? name : (URL.parse(clientId)?.host ?? clientId);
}

/** A program on a person's computer, whose name anybody can use. */
export function isLocalProgram({ applicationType }: Client, redirectUri: string): boolean {
  return applicationType === 'native' || hasLoopbackHost(redirectUri);
}

/** What a person allows, who allows a client these scopes at these resources. */
export function consentTo(
  client: Client,
  redirectUri: string,
  allowed: Pick<Consent, 'scopes' | 'resources'>,
): Consent {
  return {
    name: nameOfClient(client),
    proof: proofOf(client, redirectUri),
    redirectHost: URL.parse(redirectUri)?.host ?? '',
    scopes: allowed.scopes,
    resources: allowed.resources,
  };
}

function proofOf(client: Client, redirectUri: string): ClientProof {
  if (client.clientIdMetadataDocument === true) return 'document';
  if (isLocalProgram(client, redirectUri)) return 'program';
  return client.tokenEndpointAuthMethod === 'none' ? 'none' : 'secret';
}

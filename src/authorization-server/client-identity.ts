// Who a client is, as people are told: its name, and how it proves that the name is its own.

import type { Client } from 'oidc-provider';
import { pageClientId } from '../contract/platform-page.ts';
import { hasLoopbackHost } from './application-validation.ts';
import { displayNameProblem } from './name-validation.ts';
import type { ClientProof, Consent } from './store/connection-store.ts';

/** Metadata documents may have names that are not allowed here: then the host of the document. */
export function nameOfClient({ clientName = '', clientId }: Client): string {
  const name = clientName.trim();
  return displayNameProblem(name) === undefined ? name : (URL.parse(clientId)?.host ?? clientId);
}

/** The platform's page at our own address, to which alone its codes go. */
export function isOwnPage({ clientId }: Pick<Client, 'clientId'>): boolean {
  return clientId === pageClientId;
}

/** A program on a person's computer, whose name anybody can use. */
export function isLocalProgram(client: Client, redirectUri: string): boolean {
  if (isOwnPage(client)) return false;
  return client.applicationType === 'native' || hasLoopbackHost(redirectUri);
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
  if (isOwnPage(client)) return 'page';
  if (client.clientIdMetadataDocument === true) return 'document';
  if (isLocalProgram(client, redirectUri)) return 'program';
  return client.tokenEndpointAuthMethod === 'none' ? 'none' : 'secret';
}

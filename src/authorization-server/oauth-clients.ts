// Applications as client metadata of oidc-provider (RFC 7591), and their client authentication.

import { randomBytes } from 'node:crypto';
import type { AdapterPayload, Client } from 'oidc-provider';
import { pageClientId } from '../contract/platform-page.ts';
import { scopes } from '../contract/scopes.ts';
import { Secret } from '../secret.ts';
import type { Applications } from './applications.ts';
import type { Application } from './store/account-store.ts';

export const tokenExchange = 'urn:ietf:params:oauth:grant-type:token-exchange';

/** Our extension member of the metadata. */
export const isMcpMember = 'fovea_mcp';

export interface Clients {
  find(id: string): Promise<AdapterPayload | undefined>;
  /** Token exchange client for the MCP server of this process; its secret lives in memory only. */
  readonly exchange: { readonly clientId: string; readonly clientSecret: Secret };
  /**
   * The resource of a client that is a registered MCP server; undefined: it is none. The resources
   * of this service itself belong to no registered client.
   */
  resourceOf(clientId: string): Promise<string | undefined>;
}

export function createClients(
  applications: Applications,
  ownResource: () => string | undefined,
  issuer: () => string | undefined,
  platformPage: string | undefined,
): Clients {
  const exchange = {
    clientId: `fovea-mcp-${randomBytes(16).toString('base64url')}`,
    clientSecret: new Secret(randomBytes(32).toString('base64url')),
  };
  return {
    exchange,
    find: async (id) => {
      if (id === builtIn.client_id) return builtIn;
      if (id === exchange.clientId) return exchangeMetadata(exchange);
      if (id === pageClientId) return pageMetadata(issuer(), platformPage);
      const application = await applications.find(id);
      return application && metadataOf(application);
    },
    resourceOf: async (id) => {
      if (id === exchange.clientId) return ownResource();
      const resource = (await applications.find(id))?.resource;
      return resource === ownResource() || resource === issuer() ? undefined : resource;
    },
  };
}

/** Fovea itself as a client, known to every server. */
const builtIn: AdapterPayload = {
  client_id: 'fovea',
  client_name: 'Fovea',
  redirect_uris: ['http://127.0.0.1/callback'],
  application_type: 'native',
  token_endpoint_auth_method: 'none',
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  scope: scopes.join(' '),
  [isMcpMember]: true,
};

/**
 * The platform's page at our own address: no other place gets its codes, so a web client, whose
 * redirect URI is compared with its port. Undefined: there is no page here.
 */
function pageMetadata(
  issuer: string | undefined,
  platformPage: string | undefined,
): AdapterPayload | undefined {
  if (issuer === undefined || platformPage === undefined) return undefined;
  return {
    client_id: pageClientId,
    client_name: 'Fovea in this browser',
    redirect_uris: [`${issuer}${platformPage}`],
    application_type: 'web',
    token_endpoint_auth_method: 'none',
    // Copies of a tab would use one refresh token twice, which ends the sign-in.
    grant_types: ['authorization_code'],
    response_types: ['code'],
    scope: scopes.join(' '),
    [isMcpMember]: false,
  };
}

/** An MCP server that only exchanges tokens, and never sends users here. */
const withoutPages: AdapterPayload = {
  redirect_uris: [],
  response_types: [],
  grant_types: [tokenExchange],
};

function exchangeMetadata({ clientId, clientSecret }: Clients['exchange']): AdapterPayload {
  return {
    ...withoutPages,
    client_id: clientId,
    client_name: 'MCP server',
    client_secret: clientSecret.hash(),
    token_endpoint_auth_method: 'client_secret_basic',
  };
}

function metadataOf(application: Application): AdapterPayload {
  const { id, name, homepage, redirectUris, authentication, secretHash } = application;
  const hasPages = redirectUris.length > 0;
  const exchanges = application.resource === undefined ? [] : [tokenExchange];
  return {
    client_id: id,
    client_name: name,
    ...(homepage !== undefined && { client_uri: homepage }),
    token_endpoint_auth_method: authentication,
    ...(secretHash !== undefined && { client_secret: secretHash }),
    application_type: application.isDesktop ? 'native' : 'web',
    scope: application.scopes.join(' '),
    [isMcpMember]: application.isMcp,
    ...(hasPages
      ? {
          redirect_uris: redirectUris,
          response_types: ['code'],
          grant_types: ['authorization_code', 'refresh_token', ...exchanges],
        }
      : withoutPages),
  };
}

/**
 * Whether the client secret is right and was sent by the registered method; the library itself
 * accepts either method.
 */
export function isRightSecret(
  client: Client,
  presented: string,
  authorization: string | undefined,
): boolean {
  const used = authorization === undefined ? 'client_secret_post' : 'client_secret_basic';
  const isRight = new Secret(presented).hasHash(client.clientSecret ?? '');
  return isRight && client.tokenEndpointAuthMethod === used;
}

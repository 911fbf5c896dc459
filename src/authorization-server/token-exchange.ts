// Token exchange (RFC 8693) for MCP servers: a user's token for one that the platform accepts.

import type Provider from 'oidc-provider';
import type { TokenEndpointGrantContext } from 'oidc-provider';
import { limits } from '../limits.ts';
import { type Clients, tokenExchange } from './oauth-clients.ts';

type Library = typeof import('oidc-provider');
type Context = TokenEndpointGrantContext<Parameters>;

interface Parameters {
  readonly subject_token?: string | undefined;
  readonly subject_token_type?: string | undefined;
  readonly requested_token_type?: string | undefined;
  readonly actor_token?: string | undefined;
  readonly audience?: string | undefined;
}

const accessTokenType = 'urn:ietf:params:oauth:token-type:access_token';

const parameters = [
  'subject_token',
  'subject_token_type',
  'requested_token_type',
  'actor_token',
  'audience',
  'resource',
  'scope',
];

/**
 * Only the MCP server that is the token's audience may exchange it. The new token is for the same
 * account, client and grant, with no wider scope and no longer lifetime, and only for the
 * management API.
 */
export function registerTokenExchange(provider: Provider, library: Library, clients: Clients) {
  provider.registerGrantType<Parameters>(
    tokenExchange,
    (ctx) => exchange(ctx, library, clients),
    parameters,
  );
}

async function exchange(ctx: Context, { errors }: Library, clients: Clients): Promise<void> {
  const { provider, client, params } = ctx.oidc;
  refuseOthers(ctx, errors);
  const subject = await provider.AccessToken.find(params.subject_token ?? '');
  const grant = subject && (await provider.Grant.find(subject.grantId));
  const resource = await clients.resourceOf(client.clientId);
  const isForClient = resource !== undefined && subject?.aud === resource;
  const isOfGrant =
    grant?.clientId === subject?.clientId && grant?.accountId === subject?.accountId;
  if (!subject || !grant || !isForClient || !isOfGrant) {
    throw new errors.InvalidGrant('subject_token is not good, or not for this client');
  }
  const granted = [...subject.scopes];
  const wanted = params.scope === undefined ? granted : params.scope.split(' ').filter(Boolean);
  if (wanted.length === 0 || !wanted.every((scope) => subject.scopes.has(scope))) {
    throw new errors.InvalidScope(
      'the scope is wider than that of subject_token',
      wanted.join(' '),
    );
  }
  const expiresIn = Math.min(
    limits.oauthLifetimes.exchangedSeconds,
    subject.remainingTTL,
    grant.remainingTTL,
  );
  const token = new provider.AccessToken({
    client,
    accountId: subject.accountId,
    grantId: subject.grantId,
    gty: 'token_exchange',
    scope: wanted.join(' '),
    expiresIn,
  });
  // The token acts for the client that the user signed in to, not for the MCP server.
  token.clientId = subject.clientId;
  const value = await token.save();
  ctx.body = {
    access_token: value,
    issued_token_type: accessTokenType,
    token_type: 'Bearer',
    expires_in: expiresIn,
    scope: wanted.join(' '),
  };
}

function refuseOthers({ oidc }: Context, errors: Library['errors']): void {
  const { params, issuer } = oidc;
  const { requested_token_type: requested = accessTokenType } = params;
  if (params.subject_token_type !== accessTokenType || requested !== accessTokenType) {
    throw new errors.InvalidRequest('only access tokens are exchanged for access tokens');
  }
  if (params.actor_token !== undefined) {
    throw new errors.InvalidRequest('actor_token is not supported');
  }
  const { resource = issuer, audience = issuer } = params;
  if (resource !== issuer || audience !== issuer) {
    throw new errors.InvalidTarget('tokens are exchanged for the management API alone');
  }
}

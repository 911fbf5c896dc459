// Configuration of oidc-provider: every option that differs from its default.

import type { Configuration, JWKS, KoaContextWithOIDC } from 'oidc-provider';
import { scopes } from '../contract/scopes.ts';
import { limits } from '../limits.ts';
import { claimsOf } from './accounts.ts';
import { clientAuthentications, redirectUriProblem } from './application-validation.ts';
import { browserCookieName } from './browser-sessions.ts';
import { isOwnPage } from './client-identity.ts';
import { fetchClientMetadata, type IsAllowedHost } from './client-metadata-documents.ts';
import { isMcpMember } from './oauth-clients.ts';
import { interactionPath, paths } from './paths.ts';
import { type GrantStore, grantForRequest, isPageSignInEnded } from './remembered-consent.ts';
import { scopeProblem } from './requested-scopes.ts';
import type { Resources } from './resource-indicators.ts';
import type { UserServices } from './user-services.ts';

type Library = typeof import('oidc-provider');

export interface ProviderOptionDependencies {
  readonly library: Library;
  readonly issuer: string;
  readonly users: UserServices;
  readonly resources: Resources;
  readonly adapter: NonNullable<Configuration['adapter']>;
  readonly jwks: JWKS;
  readonly cookieKeys: readonly string[];
  readonly grants: GrantStore;
  readonly isAllowedHost: IsAllowedHost | undefined;
  readonly renderError: NonNullable<Configuration['renderError']>;
}

const { oauthLifetimes } = limits;

export function providerOptions(dependencies: ProviderOptionDependencies): Configuration {
  const { library, users, jwks, adapter, renderError } = dependencies;
  return {
    jwks,
    adapter,
    renderError,
    routes: paths,
    interactions: {
      url: (_ctx, { uid }) => interactionPath(uid),
      policy: interactionPolicy(library),
    },
    findAccount: async (_ctx, id) => {
      const account = await users.accounts.find(id);
      return account && { accountId: id, claims: async () => claimsOf(account) };
    },
    ...clientRules(dependencies),
    ...tokenRules(dependencies),
    cookies: cookies(dependencies),
    features: features(dependencies),
    claims: {
      openid: ['sub'],
      profile: ['name', 'picture'],
      email: ['email', 'email_verified'],
    },
    // OpenID Connect Core section 5.4: claims of a scope are for userinfo, not for the id_token.
    conformIdTokenClaims: true,
    scopes: [...scopes],
    extraParams: {
      // The library accepts requests without openid, and silently drops unknown scopes.
      scope: async (ctx) => refuseScope(library, ctx),
    },
    loadExistingGrant: (ctx) => grantForRequest(ctx, dependencies.grants),
    // Browsers name the origin of a page also where it is ours.
    clientBasedCORS: (_ctx, origin, client) => origin === dependencies.issuer && isOwnPage(client),
    discovery: {
      validate_resource_supported: true,
      revocation_endpoint_auth_methods_supported: clientAuthentications,
    },
    fetch: (input) => fetchClientMetadata(input, dependencies.isAllowedHost),
    // The default of 15 seconds would let tokens live longer than their lifetime.
    clockTolerance: 0,
  };
}

function clientRules({ library }: ProviderOptionDependencies): Configuration {
  return {
    clientAuthMethods: [...clientAuthentications],
    clientDefaults: {
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'client_secret_post',
    },
    responseTypes: ['code'],
    pkce: { required: () => true },
    allowOmittingSingleRegisteredRedirectUri: false,
    extraClientMetadata: {
      properties: [isMcpMember, 'redirect_uris'],
      // Registered applications are already validated; metadata documents are not.
      validator: (_ctx, name, value) => {
        if (name !== 'redirect_uris' || !Array.isArray(value)) return;
        const problem = value.map((uri) => redirectUriProblem(String(uri))).find(Boolean);
        if (problem === undefined) return;
        throw new library.errors.InvalidClientMetadata(`redirect_uris: each ${problem}`);
      },
    },
    enabledJWA: { idTokenSigningAlgValues: ['RS256'] },
  };
}

function tokenRules({ resources }: ProviderOptionDependencies): Configuration {
  return {
    ttl: {
      AccessToken: (_ctx, token, client) => {
        const audience = typeof token.aud === 'string' ? token.aud : undefined;
        const isMcp =
          client[isMcpMember] === true ||
          isOwnPage(client) ||
          client.clientIdMetadataDocument === true ||
          (audience !== undefined && resources.isMcp(audience));
        return isMcp ? oauthLifetimes.mcpAccessSeconds : oauthLifetimes.accessSeconds;
      },
      AuthorizationCode: oauthLifetimes.codeSeconds,
      // In a browser whose own sign-in has ended, the page's is of no more use.
      Grant: (_ctx, { clientId = '' }) =>
        isOwnPage({ clientId }) ? oauthLifetimes.sessionSeconds : oauthLifetimes.grantSeconds,
      IdToken: oauthLifetimes.idTokenSeconds,
      Interaction: oauthLifetimes.interactionSeconds,
      RefreshToken: oauthLifetimes.refreshSeconds,
      Session: oauthLifetimes.sessionSeconds,
    },
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    // Signing out of the browser does not sign out programs.
    expiresWithSession: async () => false,
    // The successor of a just consumed token is returned without being consumed itself.
    rotateRefreshToken: ({ oidc }) =>
      oidc.entities.RefreshToken?.jti === oidc.params?.refresh_token,
    revokeGrantPolicy: () => true,
  };
}

function features({ library, resources }: ProviderOptionDependencies): Configuration['features'] {
  const off = { enabled: false };
  return {
    devInteractions: off,
    rpInitiatedLogout: off,
    dPoP: off,
    pushedAuthorizationRequests: off,
    userinfo: { enabled: true },
    clientIdMetadataDocument: { enabled: true, ack: 'draft-02' },
    revocation: {
      enabled: true,
      // RFC 7009 section 2.2: 200 also for a token of another client, which stays valid.
      allowedPolicy: async (_ctx, client, token) => token.clientId === client.clientId,
    },
    resourceIndicators: {
      enabled: true,
      // A token request without a resource means the resource of the authorization request.
      useGrantedResource: async () => true,
      getResourceServerInfo: async (_ctx, resource) => {
        const audience = await resources.audienceOf(resource);
        if (audience === undefined) {
          throw new library.errors.InvalidTarget('there is no such resource here');
        }
        return { scope: scopes.join(' '), audience, accessTokenFormat: 'opaque' };
      },
    },
  };
}

/** What the library asks a person for, and the password after a sign-in of our page was ended. */
function interactionPolicy({ interactionPolicy: { base, Check } }: Library) {
  const policy = base();
  const words = 'the last sign-in was ended';
  policy
    .get('login')
    ?.checks.add(new Check('sign_in_ended', words, 'login_required', isPageSignInEnded));
  return policy;
}

function cookies({ issuer, cookieKeys }: ProviderOptionDependencies): Configuration['cookies'] {
  const name = (kind: string) => browserCookieName(issuer, kind);
  const common = { httpOnly: true, sameSite: 'lax', signed: true } as const;
  return {
    keys: [...cookieKeys],
    names: { session: name('session'), interaction: name('interaction'), resume: name('resume') },
    long: common,
    short: common,
  };
}

function refuseScope({ errors }: Library, ctx: KoaContextWithOIDC): void {
  const { scope = '' } = ctx.query;
  const given = Array.isArray(scope) ? scope.join(' ') : scope;
  const problem = scopeProblem(given);
  if (problem !== undefined) throw new errors.InvalidScope(problem, given);
}

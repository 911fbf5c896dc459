// Creates oidc-provider with the first request, and again when the signing keys change.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type Provider from 'oidc-provider';
import type { ErrorOut, KoaContextWithOIDC } from 'oidc-provider';
import type { Clock } from '../clock.ts';
import { FoveaError } from '../errors.ts';
import { lazyStart } from '../lazy-start.ts';
import type { Log } from '../log.ts';
import type { IsAllowedHost } from './client-metadata-documents.ts';
import { useIssuerHost } from './issuer-host.ts';
import { type Clients, isRightSecret } from './oauth-clients.ts';
import { createAdapters, hashGrantId } from './oidc-adapter.ts';
import { pageHeaders } from './page-response.ts';
import { errorPage, linkToPage } from './pages/error-page.ts';
import { pageHtml } from './pages/page-layout.ts';
import { paths } from './paths.ts';
import { providerOptions } from './provider-options.ts';
import type { GrantStore } from './remembered-consent.ts';
import { defaultScope } from './requested-scopes.ts';
import type { Resources } from './resource-indicators.ts';
import { currentKeys, type KeySet } from './signing-keys.ts';
import type { AuthorizationStore, KeyStore } from './store/authorization-store.ts';
import type { ConnectionStore } from './store/connection-store.ts';
import { registerTokenExchange } from './token-exchange.ts';
import { answerUnavailable } from './unavailable-answers.ts';
import type { UserServices } from './user-services.ts';

type Library = typeof import('oidc-provider');

export interface ProviderDependencies {
  readonly issuer: URL;
  readonly authorizations: AuthorizationStore;
  readonly connections: ConnectionStore;
  readonly keys: KeyStore;
  readonly cookieKeys: readonly string[];
  readonly users: UserServices;
  readonly clients: Clients;
  /** Path of the platform's page at the same address; undefined: there is none. */
  readonly platformPage: string | undefined;
  readonly resources: Resources;
  readonly isAllowedHost: IsAllowedHost | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * oidc-provider behind our routes. The first call loads it, and makes the first key: most starts
 * of a service never need either.
 */
export interface Providers {
  /** Lets the library answer a request, with the current keys. */
  answer(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** The current provider, for the pages. */
  current(): Promise<Provider>;
}

export function openProviders(dependencies: ProviderDependencies): Providers {
  const started = lazyStart(() => startProvider(dependencies));
  return {
    current: async () => (await started.get()).current().provider,
    answer: async (request, response) => {
      const { refresh, current } = await started.get();
      await refresh();
      useIssuerHost(request, dependencies.issuer);
      await current().answer(request, response);
    },
  };
}

/** Loads the library; `current` is replaced by `refresh` where keys have changed. */
async function startProvider(dependencies: ProviderDependencies) {
  const library = await import('oidc-provider');
  let keys = await currentKeys(dependencies.keys, dependencies.clock);
  let current = build(library, dependencies, keys);
  const refresh = async () => {
    if (dependencies.clock.now() < keys.until) return;
    const found = await currentKeys(dependencies.keys, dependencies.clock);
    if (found.name !== keys.name) current = build(library, dependencies, found);
    keys = found;
  };
  return { refresh, current: () => current };
}

interface ProviderWithHandler {
  readonly provider: Provider;
  readonly answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
}

function build(
  library: Library,
  dependencies: ProviderDependencies,
  { jwks }: KeySet,
): ProviderWithHandler {
  const { users, resources, authorizations, connections } = dependencies;
  const { cookieKeys, isAllowedHost } = dependencies;
  const issuer = dependencies.issuer.origin;
  const successors = new WeakMap<object, string>();
  const provider = new library.default(
    issuer,
    providerOptions({
      library,
      issuer,
      users,
      resources,
      jwks,
      cookieKeys,
      isAllowedHost,
      adapter: createAdapters({
        authorizations,
        connections,
        clock: dependencies.clock,
        findClient: (id) => dependencies.clients.find(id),
        currentRequest: () => library.default.ctx,
        invalidGrant: () =>
          new library.errors.InvalidGrant('it was used, or the sign-in has ended'),
        interactionEnded: () => new library.errors.SessionNotFound('the sign-in has ended'),
        rotations: {
          rotated: () => library.default.ctx?.oidc.entities.RotatedRefreshToken?.jti,
          answerWith: (token) => library.default.ctx && successors.set(library.default.ctx, token),
        },
      }),
      grants: grantsIn(dependencies),
      renderError: (ctx, out) => showError(ctx, out, dependencies.platformPage),
    }),
  );
  provider.silent = true;
  // An https address means a TLS proxy; issuer-host.ts sets the forwarding headers itself.
  provider.proxy = dependencies.issuer.protocol === 'https:';
  provider.Client.prototype.compareClientSecret = function (presented) {
    return isRightSecret(this, presented, library.default.ctx?.headers.authorization);
  };
  answerUnavailable(provider);
  provider.use(async (ctx, next) => {
    if (ctx.path === paths.authorization && !ctx.query.scope) {
      ctx.query = { ...ctx.query, scope: defaultScope };
    }
    // The library's form_post page has a script and lacks our headers: only `query` is supported.
    const { response_mode: mode } = ctx.query;
    if (ctx.path === paths.authorization && mode !== undefined && mode !== 'query') {
      ctx.query = { ...ctx.query, response_mode: 'unsupported' };
    }
    await next();
    if (isMetadata(ctx.body)) ctx.body = { ...ctx.body, response_modes_supported: ['query'] };
    if (ctx.path === paths.token && hasOidc(ctx)) replaceRefreshToken(ctx, successors.get(ctx));
  });
  registerTokenExchange(provider, library, dependencies.clients);
  provider.on('server_error', (_ctx, error: unknown) => {
    // Other errors' messages may quote the request.
    const reason = error instanceof FoveaError ? error.message : nameOf(error);
    dependencies.log.error('the authorization server failed', { reason });
  });
  const callback = provider.callback();
  return { provider, answer: async (request, response) => callback(request, response) };
}

function grantsIn({
  users,
  authorizations,
  connections,
}: Pick<ProviderDependencies, 'users' | 'authorizations' | 'connections'>): GrantStore {
  return {
    transaction: (work) => authorizations.transaction(work),
    describe: (grantId, workspace, consent) =>
      connections.describe(hashGrantId(grantId), workspace, consent),
    describeCopy: (from, to, consent) =>
      connections.describeCopy(hashGrantId(from), hashGrantId(to), consent),
    onlyWorkspace: async (accountId) => {
      const account = await users.accounts.find(accountId);
      const workspaces = account ? users.workspacesOf(account) : [];
      return workspaces.length === 1 ? workspaces[0] : undefined;
    },
  };
}

/**
 * Answers a just consumed refresh token with its successor; the library would return the old one,
 * or one that lost a race.
 */
function replaceRefreshToken(ctx: KoaContextWithOIDC, answered: string | undefined): void {
  const { body } = ctx;
  const token = answered ?? ctx.oidc.entities.RefreshToken?.jti;
  if (token === undefined || typeof body !== 'object' || body === null) return;
  if ('refresh_token' in body) ctx.body = { ...body, refresh_token: token };
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown';
}

function isMetadata(body: unknown): body is object {
  return typeof body === 'object' && body !== null && 'response_modes_supported' in body;
}

function hasOidc(ctx: object): ctx is KoaContextWithOIDC {
  return 'oidc' in ctx;
}

/** Shows errors that must not go to an unverified redirect URI. */
function showError(ctx: KoaContextWithOIDC, out: ErrorOut, platformPage: string | undefined): void {
  const isServerError = out.error === 'server_error';
  const page = errorPage({
    message: isServerError ? 'The sign-in service failed.' : 'The sign-in cannot go on.',
    hint: 'Go back to the application and sign in from there again.',
    link: linkToPage(platformPage),
    quoted: isServerError
      ? undefined
      : [out.error, out.error_description].filter(Boolean).join(': '),
  });
  ctx.set(pageHeaders);
  ctx.body = pageHtml(page);
}

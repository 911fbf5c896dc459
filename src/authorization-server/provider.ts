// oidc-provider, built when the address is known and built anew when the keys change.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type Provider from 'oidc-provider';
import type { ErrorOut, KoaContextWithOIDC } from 'oidc-provider';
import type { Clock } from '../clock.ts';
import { FoveaError } from '../errors.ts';
import type { Log } from '../log.ts';
import { createAdapters, hashOfGrant } from './adapter.ts';
import { type Clients, isRightSecret } from './clients.ts';
import { nameIssuer } from './issuer-name.ts';
import type { IsAllowedHost } from './metadata-documents.ts';
import { pageHeaders } from './page-headers.ts';
import { errorPage } from './pages/error-page.ts';
import { pageHtml } from './pages/page.ts';
import { paths } from './paths.ts';
import type { People } from './people.ts';
import { providerOptions } from './provider-options.ts';
import { defaultScope } from './requested-scopes.ts';
import type { Resources } from './resources.ts';
import { currentKeys, type KeySet } from './signing-keys.ts';
import type { Keys, Rows } from './store/store.ts';
import { registerTokenExchange } from './token-exchange.ts';

type Library = typeof import('oidc-provider');

export interface ProviderParts {
  readonly issuer: URL;
  readonly rows: Rows;
  readonly keys: Keys;
  readonly cookieKeys: readonly string[];
  readonly people: People;
  readonly clients: Clients;
  readonly resources: Resources;
  readonly isAllowedHost: IsAllowedHost | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** The library behind our routes. */
export interface Providers {
  /** Answers a request by the library, with the keys of this moment. */
  answer(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** For the pages: the one that answers now. */
  current(): Provider;
}

export async function openProviders(parts: ProviderParts): Promise<Providers> {
  const library = await import('oidc-provider');
  let keys = await currentKeys(parts.keys, parts.clock);
  let built = build(library, parts, keys);
  const refresh = async () => {
    if (parts.clock.now() < keys.until) return;
    const found = await currentKeys(parts.keys, parts.clock);
    if (found.name !== keys.name) built = build(library, parts, found);
    keys = found;
  };
  return {
    current: () => built.provider,
    answer: async (request, response) => {
      await refresh();
      nameIssuer(request, parts.issuer);
      await built.answer(request, response);
    },
  };
}

interface Built {
  readonly provider: Provider;
  readonly answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
}

function build(library: Library, parts: ProviderParts, { jwks }: KeySet): Built {
  const { people, resources, rows, cookieKeys, isAllowedHost } = parts;
  const issuer = parts.issuer.origin;
  const answers = new WeakMap<object, string>();
  const provider = new library.default(
    issuer,
    providerOptions({
      library,
      issuer,
      people,
      resources,
      jwks,
      cookieKeys,
      isAllowedHost,
      adapter: createAdapters({
        rows,
        clock: parts.clock,
        findClient: (id) => parts.clients.find(id),
        hasAccount: (id) => people.accounts.find(id) !== undefined,
        refuse: () => new library.errors.InvalidGrant('it was used, or the sign-in has ended'),
        rotations: {
          rotated: () => library.default.ctx?.oidc.entities.RotatedRefreshToken?.jti,
          answerWith: (token) => library.default.ctx && answers.set(library.default.ctx, token),
        },
      }),
      keepWorkspace: (from, to) => {
        const workspace = rows.find(hashOfGrant(from))?.workspace;
        if (workspace !== undefined) rows.setWorkspace(hashOfGrant(to), workspace);
      },
      renderError: showError,
    }),
  );
  provider.silent = true;
  // Only our own https address is behind a proxy, and we say so ourselves: issuer-name.ts.
  provider.proxy = parts.issuer.protocol === 'https:';
  provider.Client.prototype.compareClientSecret = function (presented) {
    return isRightSecret(this, presented, library.default.ctx?.headers.authorization);
  };
  provider.use(async (ctx, next) => {
    if (ctx.path === paths.authorization && !ctx.query.scope) {
      ctx.query = { ...ctx.query, scope: defaultScope };
    }
    // The library's page for form_post has a script and none of our headers: the query alone.
    const { response_mode: mode } = ctx.query;
    if (ctx.path === paths.authorization && mode !== undefined && mode !== 'query') {
      ctx.query = { ...ctx.query, response_mode: 'unsupported' };
    }
    await next();
    if (isMetadata(ctx.body)) ctx.body = { ...ctx.body, response_modes_supported: ['query'] };
    if (ctx.path === paths.token && hasOidc(ctx)) nameSuccessor(ctx, answers.get(ctx));
  });
  registerTokenExchange(provider, library, parts.clients);
  provider.on('server_error', (_ctx, error: unknown) => {
    // Words that are not ours may quote what was sent.
    const reason = error instanceof FoveaError ? error.message : nameOf(error);
    parts.log.error('the authorization server failed', { reason });
  });
  const callback = provider.callback();
  return { provider, answer: async (request, response) => callback(request, response) };
}

/**
 * A refresh token that was used up a moment ago is answered with the one that followed; the library
 * would give back the old one, or one that lost a race.
 */
function nameSuccessor(ctx: KoaContextWithOIDC, answered: string | undefined): void {
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

/** Errors that must not go to a redirect URI, since nobody knows whose it is. */
function showError(ctx: KoaContextWithOIDC, out: ErrorOut): void {
  const isOurs = out.error === 'server_error';
  const page = errorPage({
    message: isOurs ? 'The sign-in service failed.' : 'The sign-in cannot go on.',
    hint: 'Go back to the application and sign in from there again.',
    quoted: isOurs ? undefined : [out.error, out.error_description].filter(Boolean).join(': '),
  });
  ctx.set(pageHeaders);
  ctx.body = pageHtml(page);
}

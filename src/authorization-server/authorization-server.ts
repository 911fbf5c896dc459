// The authorization server: opens its database and connects routes, token checks and oidc-provider.

import { randomBytes } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { VerifyAccessToken } from '../contract/access-token.ts';
import type { NoteSignIn } from '../contract/sign-in-event.ts';
import { FoveaError, invalidArgument } from '../errors.ts';
import type { Route } from '../http-server/handlers.ts';
import type { Log } from '../log.ts';
import { isPlainLoopback } from '../network/loopback.ts';
import type { Secret } from '../secret.ts';
import { createAccessTokenVerifier } from './access-token-verifier.ts';
import { createBrowserSessions } from './browser-sessions.ts';
import type { IsAllowedHost } from './client-metadata-documents.ts';
import { createClients } from './oauth-clients.ts';
import { hashGrantId } from './oidc-adapter.ts';
import { paths } from './paths.ts';
import { openProviders } from './provider.ts';
import { createResources, type Resources } from './resource-indicators.ts';
import { type Opened, signInRoutes } from './routes.ts';
import { interactions } from './sign-in-and-consent-pages.ts';
import { openSignInDatabase } from './sign-in-database.ts';
import { createSignInEvents } from './sign-in-events.ts';
import { createAuthorizationStore, createKeyStore } from './store/authorization-store.ts';
import { createConnectionStore } from './store/connection-store.ts';
import { createUserServices, type UserServices } from './user-services.ts';

export interface AuthorizationServerOptions {
  /** Data folder of the platform; holds `sign-in.db`, readable for its owner only. */
  readonly data: string;
  /** The PostgreSQL database in place of that file. */
  readonly databaseUrl?: Secret | undefined;
  /** The workspace of accounts without any. */
  readonly workspace: string;
  /** Path of an MCP server in this process: a resource for tokens and token exchange. */
  readonly resourcePath?: string;
  /** Path of the platform's page at the same address; undefined: there is none. */
  readonly platformPage?: string;
  readonly log: Log;
  readonly clock: Clock;
  /** Allows client metadata documents on a `host:port` that is not public: for tests. */
  readonly isAllowedHost?: IsAllowedHost;
}

export interface AuthorizationServer {
  /** They need no API credentials, and answer 503 before `open`. */
  readonly routes: readonly Route[];
  /** To be called once the address is known. Throws `invalid_input` unless https or loopback. */
  open(issuer: string): Promise<void>;
  readonly verify: VerifyAccessToken;
  /** Credentials for token exchange at the resource of this process; valid while it runs. */
  exchangeClient(): { readonly clientId: string; readonly clientSecret: Secret };
  readonly people: UserServices['people'];
  /** From now on this is told who signs in and out. */
  readonly tellSignIns: (note: NoteSignIn) => void;
  /** As that of its database. */
  checkTables(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Throws as `openSignInDatabase` does. oidc-provider is loaded by the first request that needs it.
 */
export async function mountAuthorizationServer(
  options: AuthorizationServerOptions,
): Promise<AuthorizationServer> {
  const { clock } = options;
  const log = options.log.part('sign-in');
  const database = await openSignInDatabase(options.data, options.databaseUrl);
  const authorizations = createAuthorizationStore(database);
  const connections = createConnectionStore(database, clock);
  const keys = createKeyStore(database);
  const users = createUserServices(database, options.workspace, { clock, log });
  const events = createSignInEvents(users, log);
  const browsers = createBrowserSessions(authorizations, users.accounts, clock);
  let opened: (Opened & { readonly resources: Resources }) | undefined;
  const clients = createClients(
    users.applications,
    () => opened?.resources.own,
    () => opened?.issuer.origin,
    options.platformPage,
  );
  const verify = createAccessTokenVerifier({
    authorizations,
    users,
    clock,
    isKnownClient: async (id) => isDocument(id) || (await clients.find(id)) !== undefined,
    isKnownAudience: async (audience) =>
      (await opened?.resources.audienceOf(audience)) !== undefined,
  });
  return {
    verify,
    routes: signInRoutes({
      authorizations,
      browsers,
      verify,
      opened: () => opened,
      pages: interactions({
        users,
        browsers,
        events,
        log,
        now: () => clock.now(),
        platformPage: options.platformPage,
        authorizePath: paths.authorization,
        issuer: () => requireOpen(opened).issuer.origin,
        provider: () => requireOpen(opened).providers.current(),
        connections,
        describeGrant: (grantId, workspace, consent) =>
          connections.describe(hashGrantId(grantId), workspace, consent),
        transaction: (work) => authorizations.transaction(work),
      }),
    }),
    exchangeClient: () => clients.exchange,
    open: async (address) => {
      const issuer = issuerOf(address);
      const resources = createResources(users.applications, issuer.origin, options.resourcePath);
      const cookieKeys = await keys.cookies(randomBytes(32).toString('base64url'), clock.now());
      const { isAllowedHost, platformPage } = options;
      const stores = { authorizations, connections, keys };
      const dependencies = { ...stores, cookieKeys, users, clients, resources, isAllowedHost };
      const providers = openProviders({ ...dependencies, platformPage, issuer, clock, log });
      opened = { issuer, providers, resources };
    },
    people: users.people,
    tellSignIns: events.listen,
    checkTables: () => database.checkTables(),
    close: async () => database.close(),
  };
}

/** Clients identified by a metadata document are not registered here. */
function isDocument(clientId: string): boolean {
  return clientId.startsWith('https://');
}

function requireOpen<Value>(opened: Value | undefined): Value {
  if (opened !== undefined) return opened;
  throw new FoveaError('internal', 'The authorization server was not opened.');
}

/** Must be an origin without a path, since metadata is served at the root (RFC 8414 section 3). */
function issuerOf(address: string): URL {
  const url = URL.parse(address);
  const isSafe = url !== null && (url.protocol === 'https:' || isPlainLoopback(url));
  if (!isSafe || url.pathname !== '/' || url.search || url.hash || url.username) {
    const right = 'expected an https address, or http on a loopback host, without a path';
    throw invalidArgument('issuer', right);
  }
  return url;
}

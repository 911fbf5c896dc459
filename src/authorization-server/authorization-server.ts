// The authorization server put together: its routes, its token check, its keys and its store.

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Clock } from '../clock.ts';
import type { VerifyAccessToken } from '../contract/access-token.ts';
import { FoveaError, invalidArgument } from '../errors.ts';
import type { Route } from '../http-server/handlers.ts';
import type { Log } from '../log.ts';
import { isPlainLoopback } from '../network/loopback.ts';
import type { Secret } from '../secret.ts';
import { openDatabase } from '../storage/database.ts';
import { hashOfGrant } from './adapter.ts';
import { createClients } from './clients.ts';
import { interactions } from './interactions.ts';
import type { IsAllowedHost } from './metadata-documents.ts';
import { paths } from './paths.ts';
import { createPeople } from './people.ts';
import { openProviders } from './provider.ts';
import { createResources, type Resources } from './resources.ts';
import { type Opened, signInRoutes } from './routes.ts';
import { signInFile, signInMigrations } from './store/schema.ts';
import { createKeys, createRows } from './store/sqlite-store.ts';
import { createVerify } from './verify.ts';

export interface AuthorizationServerOptions {
  /** Folder of the platform; everything is in its `sign-in.db`, which only its owner can read. */
  readonly data: string;
  /** The workspace of accounts that name none. */
  readonly workspace: string;
  /** Path of an MCP server of this very process, whose tokens may be asked for and exchanged. */
  readonly resourcePath?: string;
  readonly log: Log;
  readonly clock: Clock;
  /** Lets client metadata documents come from a `host:port` that is not public: for tests. */
  readonly isAllowedHost?: IsAllowedHost;
}

export interface AuthorizationServer {
  /** All open; they answer 503 before `open`. */
  readonly routes: readonly Route[];
  /** Once the address is known. Throws `invalid_input` unless it is https or loopback. */
  open(issuer: string): Promise<void>;
  readonly verify: VerifyAccessToken;
  /** A client that may exchange tokens for the resource of this process; it ends with it. */
  exchangeClient(): { readonly clientId: string; readonly clientSecret: Secret };
  close(): Promise<void>;
}

/** Opens the database, and throws as `openDatabase` does; the library loads with `open`. */
export function mountAuthorizationServer(options: AuthorizationServerOptions): AuthorizationServer {
  const { data, clock } = options;
  const log = options.log.part('sign-in');
  const database = openDatabase(join(data, signInFile), signInMigrations);
  const rows = createRows(database);
  const keys = createKeys(database);
  const people = createPeople(database, options.workspace, { clock, log });
  let opened: (Opened & { readonly resources: Resources }) | undefined;
  const clients = createClients(
    people.applications,
    () => opened?.resources.own,
    () => opened?.issuer.origin,
  );
  const verify = createVerify({
    rows,
    people,
    clock,
    isKnownClient: (id) => isDocument(id) || clients.find(id) !== undefined,
    isKnownAudience: (audience) => opened?.resources.audienceOf(audience) !== undefined,
  });
  return {
    verify,
    routes: signInRoutes({
      rows,
      verify,
      opened: () => opened,
      pages: interactions({
        people,
        log,
        authorizePath: paths.authorization,
        provider: () => requireOpen(opened).providers.current(),
        setWorkspace: (grantId, workspace) => rows.setWorkspace(hashOfGrant(grantId), workspace),
      }),
    }),
    exchangeClient: () => clients.exchange,
    open: async (address) => {
      const issuer = issuerOf(address);
      const resources = createResources(people.applications, issuer.origin, options.resourcePath);
      const cookieKeys = keys.cookies(randomBytes(32).toString('base64url'), clock.now());
      const { isAllowedHost } = options;
      const parts = { rows, keys, cookieKeys, people, clients, resources, isAllowedHost };
      const providers = await openProviders({ ...parts, issuer, clock, log });
      opened = { issuer, providers, resources };
    },
    close: async () => database.close(),
  };
}

/** Clients whose id is the address of a document are not registered here. */
function isDocument(clientId: string): boolean {
  return clientId.startsWith('https://');
}

function requireOpen<Value>(opened: Value | undefined): Value {
  if (opened !== undefined) return opened;
  throw new FoveaError('internal', 'The authorization server was not opened.');
}

/** An origin and nothing else, since its metadata stands at the root (RFC 8414 section 3). */
function issuerOf(address: string): URL {
  const url = URL.parse(address);
  const isSafe = url !== null && (url.protocol === 'https:' || isPlainLoopback(url));
  if (!isSafe || url.pathname !== '/' || url.search || url.hash || url.username) {
    const right = 'expected an https address, or http on a loopback host, without a path';
    throw invalidArgument('issuer', right);
  }
  return url;
}

// The services behind `fovea http`: the embedded platform with its sign-in service, or hosted
// services.

import { systemClock } from '../clock.ts';
import type { ServiceCommand } from '../commands.ts';
import type { Settings } from '../config.ts';
import { localWorkspace } from '../config.ts';
import type { VerifyAccessToken } from '../contract/access-token.ts';
import { workspace } from '../contract/workspace.ts';
import { FoveaError, invalidArgument } from '../errors.ts';
import type { Client } from '../http-client/client.ts';
import { createClient } from '../http-client/create-client.ts';
import { createProxyFetch } from '../http-client/proxy-fetch.ts';
import type { Route } from '../http-server/handlers.ts';
import { lazyStart } from '../lazy-start.ts';
import { limits } from '../limits.ts';
import type { Log } from '../log.ts';
import { type Caller, protectedResourceAt } from '../mcp/http/authorization.ts';
import { mcpPath } from '../mcp/http/streamable-http.ts';
import { startPlatform } from '../platform/platform.ts';
import type { Secret } from '../secret.ts';
import { createOAuthClient, type OAuthClient } from '../sign-in/oauth-client.ts';
import {
  exchangeToken,
  requireAudiences,
  verifyFor,
} from '../sign-in/verify-and-exchange-tokens.ts';
import { type MountedSignIn, mountSignIn } from './authorization-server.ts';
import { platformOptions } from './platform-options.ts';
import { noticeNewPlatform, prepareDataFolder } from './prepare-data-folder.ts';
import { withoutKeyMaking } from './shared-api-key.ts';
import { signedLinkRoutes, stateRoutes } from './signed-link-proxy.ts';
import { type CallerClients, exchangingClients, notOffered } from './token-exchange-clients.ts';

export interface HttpBackend {
  /** Answered beside the protocol. */
  readonly routes: readonly Route[];
  readonly verify: VerifyAccessToken;
  readonly issuer: () => string;
  /** Told of the origin once it is known. */
  readonly onListening: (origin: string) => Promise<void>;
  readonly clientOf: (caller: Caller) => Promise<Client>;
  close(): Promise<void>;
}

interface BackendOptions {
  readonly command: ServiceCommand;
  readonly settings: Settings;
  readonly log: Log;
}

/** The address of the embedded sign-in service at which tokens are exchanged. */
const tokenPath = '/oauth/token';

/**
 * The embedded platform and its sign-in service, in this process. Throws `invalid_input` where
 * signing in would not be safe.
 */
export async function embeddedBackend(options: BackendOptions): Promise<HttpBackend> {
  const { command, settings, log } = options;
  const { host } = command;
  const data = prepareDataFolder(command.data, settings.home, 'platform');
  const warnIfNew = noticeNewPlatform(data, settings, log);
  const slug = settings.workspace ?? localWorkspace;
  const signIn = await mountSignIn({
    data,
    databaseUrl: settings.databaseUrl,
    workspace: slug,
    host,
    publicUrl: settings.publicUrl,
    resourcePath: mcpPath,
    log,
    clock: systemClock,
  });
  if (signIn === undefined) throw plainText(host);
  const platform = await startPlatform({
    data,
    host: '127.0.0.1',
    port: 0,
    workspace: slug,
    keys: [],
    ...platformOptions(settings, limits.rateLimitPerMinute),
    verifyAccessToken: signIn.verify,
    issuer: signIn.issuer,
    people: signIn.people,
    tellSignIns: signIn.tellSignIns,
    checkSignIn: signIn.checkTables,
    ...(settings.publicUrl !== undefined && { publicUrl: settings.publicUrl }),
    // Tokens are exchanged without a way through the network, whatever address is ours there.
    routes: signIn.routes.filter(({ path }) => path === tokenPath),
    log: log.part('platform'),
    clock: systemClock,
  }).catch(async (thrown) => {
    await signIn.close();
    throw thrown;
  });
  warnIfNew();
  const { clientOf, close } = embeddedClients(signIn, platform.url, settings);
  return {
    routes: [...signIn.routes, ...signedLinkRoutes(platform.url), ...stateRoutes(platform.url)],
    verify: signIn.verify,
    issuer: signIn.issuer,
    onListening: signIn.onListening,
    clientOf,
    close: async () => {
      await close();
      await platform.close();
      await signIn.close();
    },
  };
}

function plainText(host: string): FoveaError {
  return invalidArgument(
    '--host',
    `${host} is reached through the network, where tokens would travel in plain text`,
    'Set FOVEA_PUBLIC_URL to the https address of a proxy before it.',
  );
}

function embeddedClients(
  { exchangeClient }: MountedSignIn,
  url: string,
  { timeoutMs }: Settings,
): CallerClients {
  const client: OAuthClient = {
    ...createOAuthClient({
      ...exchangeClient(),
      issuer: url,
      clientAuth: 'client_secret_basic',
      clock: systemClock,
    }),
    server: async () => ({ issuer: url, token_endpoint: `${url}${tokenPath}` }),
  };
  const exchange = (presented: Secret, signal: AbortSignal) =>
    exchangeToken(client, presented, signal);
  return exchangingClients({ url, exchange, clock: systemClock, timeoutMs });
}

/**
 * The services that FOVEA_BASE_URL and FOVEA_AUTH_URL name. Throws `not_implemented` where the
 * authorization server cannot tell the audience of a token, and `invalid_input` without a way to
 * the platform.
 */
export async function hostedBackend(baseUrl: string, settings: Settings): Promise<HttpBackend> {
  const { authUrl: issuer = baseUrl, clientId = '', clientSecret, clientAuth } = settings;
  const client = createOAuthClient({
    issuer,
    clientId,
    clientSecret,
    clientAuth,
    clock: systemClock,
    fetch: createProxyFetch(settings.proxies),
  });
  const { clientOf, close } = hostedClients(baseUrl, client, settings);
  await requireAudiences(client);
  let resource = '';
  return {
    routes: [],
    verify: verifyFor(client, () => resource),
    issuer: () => issuer,
    onListening: async (origin) => {
      resource = protectedResourceAt(origin, mcpPath).resource;
    },
    clientOf,
    close,
  };
}

function hostedClients(url: string, client: OAuthClient, settings: Settings): CallerClients {
  const { apiKey, clientId, clientSecret, timeoutMs, proxies } = settings;
  if (apiKey !== undefined) return keyClients(url, apiKey, settings);
  if (clientId === undefined || clientSecret === undefined) {
    throw invalidArgument(
      'FOVEA_CLIENT_ID',
      'and FOVEA_CLIENT_SECRET must be those of an application of this server',
      'Register it at the platform: fovea application add --resource URL/mcp. Or set FOVEA_API_KEY.',
    );
  }
  const exchange = (presented: Secret, signal: AbortSignal) =>
    exchangeToken(client, presented, signal);
  return exchangingClients({ url, exchange, clock: systemClock, timeoutMs, proxies });
}

/**
 * One key for all callers, so each must be of its workspace. The scopes of a caller limit what the
 * key is used for.
 */
function keyClients(url: string, apiKey: Secret, { timeoutMs, proxies }: Settings): CallerClients {
  const base = async () => ({ url, credential: apiKey });
  const upstreams = { base, device: notOffered, local: notOffered };
  const client = withoutKeyMaking(
    createClient({ upstreams, clock: systemClock, timeoutMs, proxies }),
  );
  const workspaceOfKey = lazyStart(async () => {
    const { body } = await client.call(workspace.workspace_whoami, {});
    return body.workspace;
  });
  return {
    clientOf: async ({ token }) => {
      if ((await workspaceOfKey.get()) === token.workspace) return client;
      throw new FoveaError('forbidden', 'This server works in another workspace than yours.', {
        hint: 'Sign in to the workspace of the server, or use a server of yours.',
      });
    },
    close: client.close,
  };
}

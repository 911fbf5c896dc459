// Composes the client side of signing in. Loaded with the first call that needs it.

import { join } from 'node:path';
import list from '../../tools/list.json' with { type: 'json' };
import { systemClock } from '../clock.ts';
import type { Settings } from '../config.ts';
import { localWorkspace } from '../config.ts';
import { scopes as allScopes } from '../contract/scopes.ts';
import { invalidArgument } from '../errors.ts';
import { createProxyFetch } from '../http-client/proxy-fetch.ts';
import type { Log } from '../log.ts';
import { offeredOperations } from '../mcp/tool-list.ts';
import { createNoSignIn } from '../sign-in/no-sign-in.ts';
import { createOAuthClient } from '../sign-in/oauth-client.ts';
import { createBrowser } from '../sign-in/open-browser.ts';
import { type Binding, bindingName, indexFolder, memoryIndex } from '../sign-in/profile-index.ts';
import { openSecretStores } from '../sign-in/secret-stores/choose-secret-store.ts';
import { createSession, type OwnSession } from '../sign-in/session.ts';
import { createSignInFlow, type SignInFlow } from '../sign-in/sign-in-flow.ts';
import { refreshTokens, revokeTokens } from '../sign-in/token-endpoint.ts';
import { createTokenStore, type TakeLock, type TokenStore } from '../sign-in/token-store.ts';
import { validateToken } from '../sign-in/token-validation.ts';
import { suggestSpelling } from '../spelling-suggestion.ts';
import { tryLock } from '../storage/file-lock.ts';

export interface SignIn {
  readonly flow: SignInFlow;
  /** Undefined: the embedded platform needs no sign-in. */
  readonly session: OwnSession | undefined;
  /** Of all profiles. */
  readonly tokens: TokenStore;
  /** Ends a sign-in that is under way, and waits for a refresh that is. */
  close(): Promise<void>;
}

export interface SignInOptions {
  /** False: the person brings the final address (`fovea sign-in --paste`). */
  readonly listens?: boolean;
}

/** Sends, opens and keeps nothing yet. Throws `invalid_input` for an unknown FOVEA_SCOPES. */
export function openSignIn(settings: Settings, log: Log, options: SignInOptions = {}): SignIn {
  const { tokens, takeLock } = openTokens(settings, log);
  const session = openSession(settings, tokens, takeLock);
  const flow = openFlow(settings, session, options);
  return {
    flow,
    tokens,
    session: session?.session,
    close: async () => {
      await flow.close();
      await session?.session.settled();
    },
  };
}

/**
 * The client id of a native client, known to every service of ours; hosted services give their own.
 */
const builtInClientId = 'fovea';

function openTokens(settings: Settings, log: Log) {
  const folder = join(settings.home, 'credentials');
  const files = { log: log.part('sign-in'), clock: systemClock };
  const isKept = settings.credentials !== 'memory';
  const stores = openSecretStores({ ...files, setting: settings.credentials, folder });
  const index = isKept ? indexFolder(folder, files) : memoryIndex();
  return {
    tokens: createTokenStore(index, stores),
    takeLock: isKept ? lockFiles(folder) : locksOfThisProcess(),
  };
}

function lockFiles(folder: string): TakeLock {
  return (binding) => tryLock(join(folder, `refresh-${bindingName(binding)}.lock`), 'exclusive');
}

/** Tokens in memory are not shared with other processes. */
function locksOfThisProcess(): TakeLock {
  const taken = new Set<string>();
  return (binding: Binding) => {
    const name = bindingName(binding);
    if (taken.has(name)) return undefined;
    taken.add(name);
    return { release: () => void taken.delete(name) };
  };
}

function openSession(settings: Settings, tokens: TokenStore, takeLock: TakeLock) {
  const { baseUrl, profile, clientId = builtInClientId, clientSecret, clientAuth } = settings;
  if (baseUrl === undefined) return undefined;
  const issuer = settings.authUrl ?? baseUrl;
  const client = createOAuthClient({
    issuer,
    clientId,
    clientSecret,
    clientAuth,
    clock: systemClock,
    fetch: createProxyFetch(settings.proxies),
  });
  const session = createSession({
    tokens,
    takeLock,
    profile,
    issuer,
    clientId,
    service: baseUrl,
    clock: systemClock,
    refresh: (before, signal) => refreshTokens(client, before, signal),
    revoke: (before, signal) => revokeTokens(client, before, signal),
    validate: (token, signal) => validateToken(client, token, signal),
  });
  return { client, session };
}

function openFlow(
  settings: Settings,
  parts: ReturnType<typeof openSession>,
  { listens = true }: SignInOptions,
): SignInFlow {
  const { profile, redirectPort, workspace } = settings;
  const browser = createBrowser(settings.noBrowser);
  if (parts === undefined) {
    const workspaceUrl = workspace ?? localWorkspace;
    return createNoSignIn({ why: 'embedded', workspaceUrl, profile, browser });
  }
  const { client, session } = parts;
  if (settings.apiKey !== undefined) {
    return createNoSignIn({ why: 'api_key', workspaceUrl: workspace, profile, browser, session });
  }
  const scopes = askedScopes(settings);
  return createSignInFlow({ client, session, scopes, redirectPort, listens, browser });
}

/** The scopes of the settings, else those that the offered tools need, in the order of the API. */
function askedScopes(settings: Settings): readonly string[] {
  const known: readonly string[] = allScopes;
  if (settings.scopes !== undefined) {
    const unknown = settings.scopes.filter((scope) => !known.includes(scope));
    if (unknown.length > 0) {
      const message = `has no such scope as ${unknown.join(', ')}`;
      throw invalidArgument('FOVEA_SCOPES', message, hintFor(unknown));
    }
    return ['openid', ...settings.scopes.filter((scope) => scope !== 'openid')];
  }
  const ofTools = offeredOperations(list, settings).map(({ scope }) => scope);
  const needed = new Set(['openid', 'profile', 'email', ...ofTools]);
  return known.filter((scope) => needed.has(scope));
}

/** Suggests the scopes that were probably meant, and where the others are described. */
function hintFor(unknown: readonly string[]): string {
  const near = unknown.flatMap((scope) => suggestSpelling(scope, allScopes) ?? []);
  const guess = near.length === 0 ? '' : `Did you mean ${[...new Set(near)].join(', ')}? `;
  return `${guess}decisions/scopes.md says which scope is for what.`;
}

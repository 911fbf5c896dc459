// A flow in front of an authorization server, with a session that keeps tokens in this process.

import { onTestFinished } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import type { OAuthClient } from '../../src/sign-in/oauth-client.ts';
import { createOAuthClient } from '../../src/sign-in/oauth-client.ts';
import type { Session } from '../../src/sign-in/session.ts';
import {
  createSignInFlow,
  type SignInFlow,
  type SignInFlowOptions,
} from '../../src/sign-in/sign-in-flow.ts';
import { refreshTokens, revokeTokens } from '../../src/sign-in/token-endpoint.ts';
import type { Tokens } from '../../src/sign-in/token-store.ts';
import type { ForeignServer } from '../fixtures/foreign-authorization-servers.ts';

export interface TestSignInFlow {
  readonly flow: SignInFlow;
  readonly client: OAuthClient;
  /** What the session keeps. */
  tokens(): Tokens | undefined;
  /** What was to be opened. */
  readonly opened: readonly string[];
}

type ServerFacts = Pick<ForeignServer, 'issuer' | 'clientId' | 'clientSecret' | 'clientAuth'>;

/** Closed with the test. */
export function flowFor(
  server: ServerFacts,
  options: Partial<SignInFlowOptions> = {},
): TestSignInFlow {
  const { issuer, clientId, clientSecret, clientAuth } = server;
  const client = createOAuthClient({
    issuer,
    clientId,
    clientSecret,
    clientAuth,
    clock: systemClock,
  });
  const { session, tokens } = sessionInMemory(client);
  const opened: string[] = [];
  const flow = createSignInFlow({
    client,
    session,
    redirectPort: 0,
    scopes: ['openid', 'profile', 'email'],
    browser: (address) => opened.push(address) > 0,
    ...options,
  });
  onTestFinished(() => flow.close());
  return { flow, client, tokens, opened };
}

function sessionInMemory(client: OAuthClient): { session: Session; tokens(): Tokens | undefined } {
  let kept: Tokens | undefined;
  const session: Session = {
    accessToken: async () => kept?.accessToken,
    renew: async (_refused, signal = AbortSignal.timeout(5_000)) => {
      if (kept === undefined) return undefined;
      kept = await refreshTokens(client, kept, signal);
      return kept.accessToken;
    },
    subject: async () => kept?.subject,
    ready: async () => undefined,
    status: async () => ({
      status: kept === undefined ? 'signed_out' : 'signed_in',
      expiresAt: kept?.expiresAt,
      scopes: kept?.scopes ?? [],
      workspaceUrl: kept?.workspaceUrl,
      store: 'memory',
      profile: 'default',
      error: undefined,
    }),
    begin: async (tokens) => {
      kept = tokens;
    },
    end: async (signal = AbortSignal.timeout(5_000)) => {
      if (kept === undefined) return { revoked: false, wasSignedIn: false };
      const revoked = await revokeTokens(client, kept, signal);
      kept = undefined;
      return { revoked, wasSignedIn: true };
    },
  };
  return { session, tokens: () => kept };
}

/** The address that a person is to open, of a sign-in that must start. */
export async function startOf(flow: SignInFlow): Promise<URL> {
  const started = await flow.start();
  if (started.status !== 'pending') throw new Error('signed in already');
  return new URL(started.authorizationUrl);
}

/** Brings the browser's last address to the callback, and gives the page. */
export async function visit(address: URL | string, headers: Record<string, string> = {}) {
  const response = await fetch(address, { headers, redirect: 'manual' });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

export const soon = (): AbortSignal => AbortSignal.timeout(10_000);

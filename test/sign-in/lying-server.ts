// A sign-in with the server that lies: started, answered, and what became of it.

import { onTestFinished } from 'vitest';
import {
  type LyingServer,
  startScriptedAuthorizationServer,
} from '../fixtures/scripted-authorization-server.ts';
import { flowFor, soon, startOf, type TestSignInFlow, visit } from './test-sign-in-flow.ts';

export async function lyingServer(): Promise<LyingServer> {
  const server = await startScriptedAuthorizationServer();
  onTestFinished(() => server.close());
  return server;
}

export interface Answered extends TestSignInFlow {
  readonly page: Awaited<ReturnType<typeof visit>>;
  /** How the sign-in ended; undefined: it is still waiting. */
  readonly error: unknown;
  /** Requests to the token endpoint. */
  readonly redeemed: readonly string[];
}

/** An honest answer to a request, as its query. */
export function honestAnswer(server: LyingServer, asked: URL): Record<string, string> {
  return { code: 'code-1', state: asked.searchParams.get('state') ?? '', iss: server.issuer };
}

export function callbackOf(asked: URL, query: Record<string, string> | string): URL {
  const address = new URL(asked.searchParams.get('redirect_uri') ?? '');
  address.search = new URLSearchParams(query).toString();
  return address;
}

/**
 * Signs in: the browser comes back with `query`, or with an honest answer; the token endpoint gives
 * what the test set, or honest tokens.
 */
export async function answered(
  server: LyingServer,
  query?: (honest: Record<string, string>) => Record<string, string> | string,
): Promise<Answered> {
  const fixture = flowFor(server);
  const asked = await startOf(fixture.flow);
  server.lies['/token'] ??= () => server.tokens(asked.searchParams.get('nonce'));
  const honest = honestAnswer(server, asked);
  const page = await visit(callbackOf(asked, query?.(honest) ?? honest));
  const isOver = (await fixture.flow.status()).status !== 'pending';
  const error = isOver ? await fixture.flow.finished(soon()).catch((thrown) => thrown) : undefined;
  const redeemed = server.received
    .filter(({ line }) => line.startsWith('POST /token'))
    .map(({ body }) => body);
  return { ...fixture, page, error, redeemed };
}

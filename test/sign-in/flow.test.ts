// Both of our sides at once: the flow in front of our own authorization server.

import { expect, test } from 'vitest';
import { Secret } from '../../src/secret.ts';
import { refreshTokens } from '../../src/sign-in/token-endpoint.ts';
import { EndedGrant } from '../../src/sign-in/token-refresh.ts';
import { validateToken } from '../../src/sign-in/token-validation.ts';
import { shareService } from '../authorization-server/shared-service.ts';
import { flowFor, soon, startOf, visit } from './test-sign-in-flow.ts';

const scopes = ['openid', 'profile', 'email', 'project:read'];

const start = shareService();
/** With an MCP server of its own process, at `/mcp`. */
const startWithMcp = shareService({ resourcePath: '/mcp' });

async function ours(starting = start()) {
  const service = await starting;
  const factsOf = (kind: keyof typeof service.applications) => {
    const { id, secret, auth } = service.applications[kind];
    return {
      issuer: service.url,
      clientId: id,
      clientAuth: auth,
      clientSecret: secret === undefined ? undefined : new Secret(secret),
    };
  };
  return { service, factsOf };
}

test.each(['post', 'basic', 'public', 'mcp'] as const)('the application "%s"', async (kind) => {
  const { service, factsOf } = await ours();
  const { flow, client, tokens } = flowFor(factsOf(kind), {
    scopes,
    listens: false,
    redirectPort: 8976,
  });
  const last = await service.agree(await startOf(flow));
  await flow.finishWith(last.href);
  const hours = kind === 'mcp' ? 24 : 1;
  const status = await flow.status();
  expect(status).toMatchObject({
    status: 'signed_in',
    scopes,
    workspaceUrl: 'acme',
    why: 'tokens',
  });
  expect((status.expiresAt ?? 0) - Date.now()).toBeGreaterThan(hours * 3_600_000 - 60_000);
  expect((status.expiresAt ?? 0) - Date.now()).toBeLessThanOrEqual(hours * 3_600_000);
  expect(await flow.userinfo()).toMatchObject({
    sub: service.accountId,
    name: 'Ada Lovelace',
    email: 'ada@example.com',
  });

  const first = tokens();
  if (first === undefined) throw new Error('no tokens');
  const second = await refreshTokens(client, first, soon());
  expect(await validateToken(client, second.accessToken)).toMatchObject({ active: true, scopes });
  expect(await flow.signOut()).toEqual({ revoked: true, wasSignedIn: true });
  expect(await validateToken(client, first.accessToken)).toEqual({
    active: false,
    exp: null,
    workspace_url: '',
    scopes: [],
  });
  expect(await validateToken(client, second.accessToken)).toMatchObject({ active: false });
  await expect(refreshTokens(client, second, soon())).rejects.toThrow(EndedGrant);
});

test('any port of this machine, for an application of the desktop', async () => {
  const { service, factsOf } = await ours();
  const { flow } = flowFor(factsOf('public'), { scopes });
  const page = await visit(await service.agree(await startOf(flow)));
  expect(page.text).toContain('You are signed in to acme.');
  await flow.finished(soon());
});

test('a scope that nobody has is refused on the way, and said', async () => {
  const { service, factsOf } = await ours();
  const { flow } = flowFor(factsOf('public'), { scopes: ['openid', 'everything'] });
  const asked = await startOf(flow);
  const response = await fetch(asked, { redirect: 'manual' });
  const page = await visit(response.headers.get('location') ?? '');
  expect(page.text).toContain('Set FOVEA_SCOPES');
  expect(await flow.status()).toMatchObject({ status: 'signed_out' });
  expect(service.url).toBe(asked.origin);
});

test('tokens for a resource say nothing to others', async () => {
  const { service, factsOf } = await ours(startWithMcp());
  const resource = `${service.url}/mcp`;
  const { flow, tokens } = flowFor(factsOf('public'), { scopes, resource });
  const asked = await startOf(flow);
  expect(asked.searchParams.get('resource')).toBe(resource);
  await visit(await service.agree(asked));
  const token = tokens()?.accessToken;
  expect(token).toBeDefined();
  expect(token && (await service.server.verify(token))?.audience).toBe(resource);
});

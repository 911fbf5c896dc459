// The authorization server asked through a proxy: metadata, tokens, and failures that name it.

import { buffer } from 'node:stream/consumers';
import { inspect } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { createProxyFetch } from '../../src/http-client/proxy-fetch.ts';
import { Secret } from '../../src/secret.ts';
import { createOAuthClient } from '../../src/sign-in/oauth-client.ts';
import { refreshTokens, revokeTokens } from '../../src/sign-in/token-endpoint.ts';
import { validateToken } from '../../src/sign-in/token-validation.ts';
import {
  proxiesOf,
  startProxy,
  startSecure,
  trustCompany,
} from '../http-client/proxied-service.ts';
import { errorOf } from '../http-client/test-operations.ts';
import { tokensOf } from './test-session.ts';

beforeAll(trustCompany);

const issuer = 'https://login.fovea.example';

function clientThrough(variables: Record<string, string>) {
  return createOAuthClient({
    issuer,
    clientId: 'fovea',
    clientSecret: undefined,
    clientAuth: 'none',
    clock: systemClock,
    fetch: createProxyFetch(proxiesOf(variables)),
  });
}

test('metadata, tokens, the end of tokens and their check go through the tunnel', async () => {
  const seen: string[] = [];
  const target = await startSecure(async (request, response) => {
    const body = (await buffer(request)).toString();
    seen.push(`${request.method} ${request.url} ${new URLSearchParams(body).get('token') ?? ''}`);
    if (request.url === '/oauth/revoke') return response.end();
    response.setHeader('content-type', 'application/json');
    const token = { access_token: 'access-2', token_type: 'bearer', expires_in: 60 };
    if (request.url === '/oauth/token') return response.end(JSON.stringify(token));
    return response.writeHead(404).end('{}');
  });
  const proxy = await startProxy(target, { login: 'ada:pass' });
  const client = clientThrough({ HTTPS_PROXY: `http://ada:pass@127.0.0.1:${proxy.port}` });
  const { signal } = new AbortController();
  const tokens = await refreshTokens(client, tokensOf('1'), signal);
  expect(tokens.accessToken.reveal()).toBe('access-2');
  expect(await revokeTokens(client, tokens, signal)).toBe(true);
  expect(await validateToken(client, new Secret('access-2'), signal)).toBeUndefined();
  expect(seen).toEqual([
    'GET /.well-known/openid-configuration ',
    'GET /.well-known/oauth-authorization-server ',
    'POST /oauth/token ',
    'POST /oauth/revoke refresh-1',
    'POST /oauth/revoke access-2',
    'GET /oauth/validate ',
  ]);
  expect(new Set(proxy.seen)).toEqual(new Set(['CONNECT login.fovea.example:443']));
});

test('a proxy that refuses is named, and its password is not', async () => {
  const proxy = await startProxy(0, { login: 'ada:pass' });
  const client = clientThrough({ HTTPS_PROXY: `http://ada:hunter2@127.0.0.1:${proxy.port}` });
  const error = await errorOf(client.server());
  expect(error).toMatchObject({
    code: 'unreachable',
    retry: 'never',
    message: `The authorization server was not asked: the proxy 127.0.0.1:${proxy.port} (HTTPS_PROXY) refused the user name and password: it answered 407.`,
    hint: 'Correct them in HTTPS_PROXY; special characters percent-encoded.',
  });
  expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/hunter2|YWRh/);
});

test('a request that is given up ends while the proxy says nothing', async () => {
  const proxy = await startProxy(0, { behaviour: 'silent' });
  const client = clientThrough({ HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` });
  const cancel = new AbortController();
  const asking = errorOf(validateToken(client, new Secret('access-1'), cancel.signal));
  await proxy.connected();
  cancel.abort();
  expect(await asking).toMatchObject({ code: 'cancelled' });
});

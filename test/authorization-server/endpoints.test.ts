// The seven endpoints and the metadata: their exact members, statuses and headers.

import { Agent, request as httpRequest } from 'node:http';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test, vi } from 'vitest';
import { scopes } from '../../src/contract/scopes.ts';
import {
  answerOf,
  authorizationUrl,
  person,
  postForm,
  refresh,
  signIn,
  startTestAuthorizationServer,
  validate,
} from '../fixtures/authorization-server.ts';
import { openFormBrowser } from '../fixtures/form-browser.ts';
import { shareService } from './shared-service.ts';

const start = shareService();

const nothing = { active: false, exp: null, workspace_url: '', scopes: [] };

test.each(['openid-configuration', 'oauth-authorization-server'])(
  'the metadata at /.well-known/%s names every endpoint at the address of the specification',
  async (name) => {
    const { url } = await start();
    const { status, body } = await answerOf(await fetch(`${url}/.well-known/${name}`));
    expect(status).toBe(200);
    expect(body).toMatchObject({
      issuer: url,
      authorization_endpoint: `${url}/oauth/authorize`,
      token_endpoint: `${url}/oauth/token`,
      revocation_endpoint: `${url}/oauth/revoke`,
      userinfo_endpoint: `${url}/oauth/userinfo`,
      jwks_uri: `${url}/.well-known/jwks.json`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic', 'none'],
      id_token_signing_alg_values_supported: ['RS256'],
      subject_types_supported: ['public'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
      validate_resource_supported: true,
      request_uri_parameter_supported: false,
    });
    expect(body.scopes_supported).toEqual([...scopes]);
    expect(new Set(Object.values({ ...Object(body.grant_types_supported) }))).toEqual(
      new Set([
        'authorization_code',
        'refresh_token',
        'urn:ietf:params:oauth:grant-type:token-exchange',
      ]),
    );
    for (const absent of [
      'registration_endpoint',
      'end_session_endpoint',
      'pushed_authorization_request_endpoint',
      'dpop_signing_alg_values_supported',
      'device_authorization_endpoint',
      'introspection_endpoint',
    ]) {
      expect(body).not.toHaveProperty(absent);
    }
  },
);

test('addresses in the metadata are those of the issuer, whatever name was asked', async () => {
  const { url } = await start();
  const { port } = new URL(url);
  const answer = await fetch(`http://localhost:${port}/.well-known/openid-configuration`, {
    headers: { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' },
  });
  const { body } = await answerOf(answer);
  expect(body.token_endpoint).toBe(`${url}/oauth/token`);
  expect(JSON.stringify(body)).not.toContain('localhost');
  expect(JSON.stringify(body)).not.toContain('evil.example');
});

test('a sign-in that begins under another name of ours goes on under the issuer', async () => {
  const service = await start();
  const { port } = new URL(service.url);
  const { url } = authorizationUrl(service, service.applications.public);
  const other = new URL(url);
  other.host = `localhost:${port}`;
  const page = await openFormBrowser().get(other);
  expect(page.status).toBe(303);
  expect(page.next?.href).toBe(url.href);
  expect(page.headers.getSetCookie()).toEqual([]);
});

test('behind a proxy every address is the public one, and cookies need https', async () => {
  const service = await startTestAuthorizationServer({ publicUrl: 'https://fovea.example' });
  onTestFinished(service.close);
  const { body } = await answerOf(
    await fetch(`${service.url}/.well-known/openid-configuration`, {
      headers: { 'x-forwarded-proto': 'http', 'x-forwarded-host': 'evil.example' },
    }),
  );
  expect(body.issuer).toBe('https://fovea.example');
  expect(body.authorization_endpoint).toBe('https://fovea.example/oauth/authorize');
  expect(body.jwks_uri).toBe('https://fovea.example/.well-known/jwks.json');
  const { url } = authorizationUrl(service, service.applications.public);
  const page = await openFormBrowser().get(url);
  expect(page.next?.pathname).toMatch(/^\/oauth\/sign-in\/[\w-]+$/);
  const lines = page.headers.getSetCookie();
  expect(lines.length).toBeGreaterThan(1);
  for (const line of lines) expect(line).toMatch(/; secure/i);
  // After the forms the browser is sent to the public address, where this one cannot follow.
  const final = await service.agree(url);
  expect(final.href).toMatch(/^https:\/\/fovea\.example\/oauth\/authorize\/[\w-]+$/);
});

test('the key set has public keys alone', async () => {
  const { url } = await start();
  const { status, body } = await answerOf(await fetch(`${url}/.well-known/jwks.json`));
  expect(status).toBe(200);
  expect(body.keys).toEqual([
    {
      kty: 'RSA',
      use: 'sig',
      alg: 'RS256',
      kid: expect.stringMatching(/^[\w-]{22}$/),
      e: 'AQAB',
      n: expect.stringMatching(/^[\w-]{342}$/),
    },
  ]);
});

test('the final address carries code, state and issuer', async () => {
  const service = await start();
  const { url, state } = authorizationUrl(service, service.applications.post);
  const final = await service.agree(url);
  expect(final.origin + final.pathname).toBe('http://127.0.0.1:8976/callback');
  expect([...final.searchParams.keys()].toSorted()).toEqual(['code', 'iss', 'state']);
  expect(final.searchParams.get('state')).toBe(state);
  expect(final.searchParams.get('iss')).toBe(service.url);
  expect(final.searchParams.get('code')).toMatch(/^[\w-]{43}$/);
});

test('cookies are for this service, out of reach of scripts and of other sites', async () => {
  const service = await start();
  const page = await openFormBrowser().get(
    authorizationUrl(service, service.applications.public).url,
  );
  const { port } = new URL(service.url);
  const lines = page.headers.getSetCookie();
  expect(lines.length).toBeGreaterThan(1);
  for (const line of lines) {
    expect(line).toMatch(new RegExp(`^fovea_(interaction|resume)_${port}(\\.sig)?=`));
    expect(line).toMatch(/; httponly/i);
    expect(line).toMatch(/; samesite=lax/i);
    expect(line).toMatch(/; path=\/oauth\/(sign-in|authorize)\/[\w-]+;/i);
  }
});

test.each([
  ['nothing at all', undefined],
  ['an unknown token', `Bearer ${'x'.repeat(43)}`],
  ['an API key', 'Bearer a-key-for-tests'],
  ['another scheme', 'Basic YTpi'],
  ['no token after the scheme', 'Bearer '],
  ['two tokens', 'Bearer a b'],
])('validate answers 200 and inactive to %s', async (_what, authorization) => {
  const { url } = await start();
  const headers = authorization === undefined ? {} : { authorization };
  const answer = await answerOf(await fetch(`${url}/oauth/validate`, { headers }));
  expect(answer.status).toBe(200);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.body).toEqual(nothing);
});

test('validate takes no token from the query', async () => {
  const service = await start();
  const { accessToken } = await signIn(service, service.applications.public);
  const query = new URLSearchParams({ access_token: accessToken, token: accessToken });
  const { body } = await answerOf(await fetch(`${service.url}/oauth/validate?${query}`));
  expect(body).toEqual(nothing);
});

test('validate tells a refresh token and an id_token from an access token', async () => {
  const service = await start();
  const { refreshToken, idToken } = await signIn(service, service.applications.public);
  expect((await validate(service, refreshToken)).body).toEqual(nothing);
  expect((await validate(service, idToken)).body).toEqual(nothing);
});

test.each(['accessToken', 'refreshToken'] as const)(
  'revoking the %s alone, without a client, ends the whole sign-in',
  async (which) => {
    const service = await start();
    const tokens = await signIn(service, service.applications.post);
    const other = await signIn(service, service.applications.post);
    const answer = await fetch(`${service.url}/oauth/revoke`, {
      method: 'POST',
      body: new URLSearchParams({ token: tokens[which] }),
    });
    expect(answer.status).toBe(200);
    expect(await answer.text()).toBe('');
    expect((await validate(service, tokens.accessToken)).body.active).toBe(false);
    const again = await refresh(service, service.applications.post, tokens.refreshToken);
    expect(again.body.error).toBe('invalid_grant');
    expect((await validate(service, other.accessToken)).body.active).toBe(true);
  },
);

test.each(['post', 'basic', 'public'] as const)(
  'a client with %s revokes its own tokens, and not those of others',
  async (name) => {
    const service = await start();
    const application = service.applications[name];
    const own = await signIn(service, application);
    const foreign = await signIn(service, service.applications.mcp);
    const url = `${service.url}/oauth/revoke`;
    const refused = await postForm(url, application, { token: foreign.accessToken });
    expect(refused.status).toBe(200);
    expect((await validate(service, foreign.accessToken)).body.active).toBe(true);
    const hint = { token_type_hint: 'access_token' };
    const done = await postForm(url, application, { token: own.refreshToken, ...hint });
    expect(done.status).toBe(200);
    expect((await validate(service, own.accessToken)).body.active).toBe(false);
  },
);

test('revoking needs the secret where a client is named, and a token', async () => {
  const service = await start();
  const { accessToken } = await signIn(service, service.applications.post);
  const url = `${service.url}/oauth/revoke`;
  const wrong = { ...service.applications.post, secret: 'fvs_wrong' };
  const answer = await postForm(url, wrong, { token: accessToken });
  expect(answer.status).toBe(401);
  expect(answer.body.error).toBe('invalid_client');
  expect((await validate(service, accessToken)).body.active).toBe(true);
  const unknown = await postForm(url, undefined, { token: 'unknown' });
  expect(unknown.status).toBe(200);
  const none = await postForm(url, undefined, {});
  expect(none.status).toBe(400);
  expect(none.body.error).toBe('invalid_request');
});

test('userinfo tells what the scopes allow, of a token in the header alone', async () => {
  const service = await start();
  const url = `${service.url}/oauth/userinfo`;
  const ask = async (scope: string) => {
    const { accessToken } = await signIn(service, service.applications.post, { scope });
    const headers = { authorization: `Bearer ${accessToken}` };
    return { accessToken, ...(await answerOf(await fetch(url, { headers }))) };
  };
  const sub = service.accountId;
  const { name, email } = person;
  const bare = await ask('openid');
  expect(bare.status).toBe(200);
  expect(bare.body).toEqual({ sub });
  expect((await ask('openid profile')).body).toEqual({ sub, name });
  expect((await ask('openid email')).body).toEqual({ sub, email, email_verified: false });
  const inQuery = await answerOf(await fetch(`${url}?access_token=${bare.accessToken}`));
  expect(inQuery.status).toBe(400);
  expect(inQuery.body.error).toBe('invalid_request');
});

test('userinfo refuses what is not good with 401, and a token without openid with 403', async () => {
  const service = await start();
  const application = service.applications.post;
  const url = `${service.url}/oauth/userinfo`;
  const ask = async (headers: Readonly<Record<string, string>>) =>
    answerOf(await fetch(url, { headers: { accept: 'text/html', ...headers } }));
  const missing = await ask({});
  expect(missing.status).toBe(401);
  expect(missing.headers.get('www-authenticate')).toMatch(/^Bearer /);
  const unknown = await ask({ authorization: 'Bearer unknown' });
  expect(unknown.status).toBe(401);
  expect(unknown.body.error).toBe('invalid_token');
  expect(unknown.headers.get('www-authenticate')).toContain('error="invalid_token"');
  const { refreshToken } = await signIn(service, application, { scope: 'openid image:read' });
  const narrow = await refresh(service, application, refreshToken, { scope: 'image:read' });
  const refused = await ask({ authorization: `Bearer ${narrow.body.access_token}` });
  expect(refused.status).toBe(403);
  expect(refused.body.error).toBe('insufficient_scope');
});

test('errors of the token endpoint are JSON, whatever the client accepts', async () => {
  const { url } = await start();
  const response = await fetch(`${url}/oauth/token`, {
    method: 'POST',
    headers: { accept: 'text/html' },
    body: new URLSearchParams({ grant_type: 'authorization_code', client_id: 'nobody' }),
  });
  expect(response.status).toBe(401);
  expect(response.headers.get('content-type')).toMatch(/^application\/json/);
  expect(response.headers.get('cache-control')).toBe('no-store');
  const { body } = await answerOf(response);
  expect(Object.keys(body)).toEqual(['error', 'error_description']);
  expect(body.error).toBe('invalid_client');
});

test('a client must authenticate in the way that it registered', async () => {
  const service = await start();
  const { post, basic } = service.applications;
  for (const application of [
    { ...post, auth: 'client_secret_basic' as const },
    { ...basic, auth: 'client_secret_post' as const },
    { ...basic, auth: 'none' as const },
    { ...post, secret: '' },
  ]) {
    const answer = await postForm(`${service.url}/oauth/token`, application, {
      grant_type: 'refresh_token',
      refresh_token: 'unknown',
    });
    expect([400, 401]).toContain(answer.status);
    expect(['invalid_client', 'invalid_request']).toContain(answer.body.error);
  }
  for (const application of [post, basic]) {
    const answer = await postForm(`${service.url}/oauth/token`, application, {
      grant_type: 'refresh_token',
      refresh_token: 'unknown',
    });
    expect(answer.body.error).toBe('invalid_grant');
  }
});

test.each([
  ['a body above 16 KiB', 413, 'x'.repeat(16 * 1024 + 1)],
  ['a form that says nothing', 400, ''],
])('the token endpoint refuses %s', async (_what, status, body) => {
  const { url } = await start();
  const response = await fetch(`${url}/oauth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body,
  });
  expect(response.status).toBe(status);
  expect((await answerOf(response)).body.error).toBe('invalid_request');
});

test.each(['/oauth/token', '/oauth/revoke'])('%s takes no encoded body', async (path) => {
  const { url } = await start();
  const response = await fetch(url + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'content-encoding': 'gzip',
    },
    body: gzipSync('token=unknown'),
  });
  expect(response.status).toBe(415);
  expect((await answerOf(response)).body.error).toBe('invalid_request');
});

test('a form that comes in pieces is read, and its connection serves the next one', async () => {
  const service = await start();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const sockets = new Set<unknown>();
  for (let round = 0; round < 3; round += 1) {
    const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const options = { agent, method: 'POST', headers };
    const asked = httpRequest(`${service.url}/oauth/token`, options, (response) => {
      response.resume().on('end', () => resolve(response.statusCode));
    });
    asked.on('error', reject).on('socket', (socket) => sockets.add(socket));
    asked.write('grant_type=refresh_token&refresh_token=unknown&');
    asked.end(`client_id=${service.applications.public.id}`);
    expect(await promise).toBe(400);
  }
  expect(sockets.size).toBe(1);
});

test('a JSON body is no form', async () => {
  const service = await start();
  const response = await fetch(`${service.url}/oauth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ grant_type: 'refresh_token', client_id: service.applications.mcp.id }),
  });
  expect(response.status).toBe(400);
});

test.each([
  ['POST', '/oauth/authorize', 'GET, HEAD'],
  ['GET', '/oauth/token', 'POST'],
  ['GET', '/oauth/revoke', 'POST'],
  ['POST', '/oauth/validate', 'GET, HEAD'],
  ['POST', '/oauth/userinfo', 'GET, HEAD'],
  ['DELETE', '/oauth/authorize', 'GET, HEAD'],
  ['PUT', '/.well-known/openid-configuration', 'GET, HEAD'],
  ['PATCH', '/.well-known/jwks.json', 'GET, HEAD'],
])('%s %s is refused, and told what is right', async (method, path, allow) => {
  const { url } = await start();
  const response = await fetch(`${url}${path}`, { method });
  expect(response.status).toBe(405);
  expect(response.headers.get('allow')).toBe(allow);
});

test('pages of other origins may call nothing, and are told nothing', async () => {
  const service = await start();
  for (const path of ['/oauth/token', '/.well-known/openid-configuration', '/oauth/userinfo']) {
    const response = await fetch(`${service.url}${path}`, {
      method: path === '/oauth/token' ? 'POST' : 'GET',
      headers: { origin: 'https://evil.example' },
    });
    expect(response.status).toBe(403);
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  }
});

test('before its address is known it asks to come back', async () => {
  const service = await startTestAuthorizationServer({ isUnopened: true });
  onTestFinished(service.close);
  for (const path of ['/oauth/authorize', '/oauth/validate', '/settings/sign-in', '/oauth/token']) {
    const method = path === '/oauth/token' ? 'POST' : 'GET';
    const response = await fetch(`${service.url}${path}`, { method });
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('1');
    expect((await answerOf(response)).body.error).toBe('temporarily_unavailable');
  }
});

test.each([
  'http://example.org',
  'http://192.168.1.1:8000',
  'https://example.org/path',
  'https://example.org/?a=b',
  'https://user@example.org',
  'ftp://127.0.0.1',
  'nonsense',
])('the address %s cannot be an issuer', async (address) => {
  const service = await startTestAuthorizationServer({ isUnopened: true });
  onTestFinished(service.close);
  await expect(service.server.open(address)).rejects.toThrow('issuer: expected an https address');
});

test('a HEAD of an endpoint is not one of a project', async () => {
  const { url } = await start();
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  const asked = httpRequest(`${url}/oauth/validate`, { method: 'HEAD' }, (response) => {
    response.resume();
    resolve(response.statusCode);
  });
  asked.on('error', reject).end();
  expect(await promise).toBe(200);
});

test('the library writes nothing to the console', async () => {
  const spies = (['log', 'info', 'warn', 'error', 'debug'] as const).map((name) =>
    vi.spyOn(console, name),
  );
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore();
  });
  const service = await start();
  const { refreshToken } = await signIn(service, service.applications.post, {
    scope: 'openid profile image:read',
  });
  await refresh(service, service.applications.post, refreshToken);
  await postForm(`${service.url}/oauth/revoke`, service.applications.post, { token: refreshToken });
  await fetch(`${service.url}/oauth/userinfo`);
  for (const spy of spies) expect(spy).not.toHaveBeenCalled();
});

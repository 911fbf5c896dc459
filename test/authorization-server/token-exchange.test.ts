// RFC 8693: an MCP server gets a token for the platform, of the same person, and no wider.

import { expect, onTestFinished, test, vi } from 'vitest';
import { Secret } from '../../src/secret.ts';
import {
  type Answer,
  postForm,
  signedIn,
  signIn,
  startTestAuthorizationServer,
  type TestApplication,
  type TestAuthorizationServer,
  validate,
} from '../fixtures/authorization-server.ts';
import { administer } from './page-visits.ts';
import { shareService } from './shared-service.ts';

const accessTokenType = 'urn:ietf:params:oauth:token-type:access_token';
const scope = 'openid image:read project:read';

const share = shareService({ resourcePath: '/mcp' });

async function start(own?: TestAuthorizationServer): Promise<{
  readonly service: TestAuthorizationServer;
  readonly resource: string;
  /** The client of the MCP server in this process. */
  readonly server: TestApplication;
  readonly exchange: (
    client: TestApplication | undefined,
    token: string,
    fields?: Readonly<Record<string, string>>,
  ) => Promise<Answer>;
}> {
  const service = own ?? (await share());
  const { clientId, clientSecret } = service.server.exchangeClient();
  return {
    service,
    resource: `${service.url}/mcp`,
    server: {
      id: clientId,
      secret: clientSecret.reveal(),
      auth: 'client_secret_basic',
      redirectUri: '',
    },
    exchange: (client, token, fields = {}) =>
      postForm(`${service.url}/oauth/token`, client, {
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        subject_token: token,
        subject_token_type: accessTokenType,
        ...fields,
      }),
  };
}

test('the MCP server of a token gets one for the platform: same person, sign-in and scopes', async () => {
  const { service, resource, server, exchange } = await start();
  const application = service.applications.public;
  const { accessToken } = await signIn(service, application, { resource, scope });
  const answer = await exchange(server, accessToken);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.body).toEqual({
    access_token: expect.stringMatching(/^[\w-]{43}$/),
    issued_token_type: accessTokenType,
    token_type: 'Bearer',
    expires_in: 300,
    scope,
  });
  const { accessToken: exchanged } = signedIn(answer);
  expect(exchanged).not.toBe(accessToken);
  expect(await service.server.verify(new Secret(exchanged))).toMatchObject({
    subject: service.accountId,
    clientId: application.id,
    workspace: 'acme',
    scopes: new Set(['openid', 'image:read', 'project:read']),
    audience: undefined,
  });
  expect((await validate(service, exchanged, resource)).body.active).toBe(false);
});

test('the scope may be narrowed, never widened', async () => {
  const { service, resource, server, exchange } = await start();
  const { accessToken } = await signIn(service, service.applications.public, { resource, scope });
  const narrow = await exchange(server, accessToken, { scope: 'image:read' });
  expect(narrow.body.scope).toBe('image:read');
  const { body } = await validate(service, signedIn(narrow).accessToken);
  expect(body.scopes).toEqual(['image:read']);
  for (const wide of ['image:read model:infer', 'nothing', ' ']) {
    const refused = await exchange(server, accessToken, { scope: wide });
    expect(refused.status).toBe(400);
    expect(refused.body.error).toBe('invalid_scope');
  }
});

test('nobody else may exchange the token', async () => {
  const { service, resource, server, exchange } = await start();
  const { post, basic, public: desktop } = service.applications;
  const { accessToken } = await signIn(service, desktop, { resource, scope });
  const other = await service.register({
    name: 'Other MCP server',
    redirectUris: [],
    auth: 'client_secret_basic',
    resource: 'https://mcp.example/mcp',
  });
  expect((await exchange(other, accessToken)).body.error).toBe('invalid_grant');
  for (const client of [post, basic, desktop]) {
    const refused = await exchange(client, accessToken);
    expect(refused.status).toBe(400);
    expect(['unauthorized_client', 'invalid_request']).toContain(refused.body.error);
  }
  expect((await exchange({ ...server, secret: 'wrong' }, accessToken)).status).toBe(401);
  expect((await exchange({ ...server, auth: 'none' }, accessToken)).status).toBe(401);
  expect((await exchange(undefined, accessToken)).status).toBe(400);
  expect((await exchange(server, accessToken)).status).toBe(200);
});

test('only a token that is for the server, and good, is exchanged', async () => {
  const { service, resource, server, exchange } = await start();
  const application = service.applications.public;
  const plain = await signIn(service, application, { scope });
  const own = await signIn(service, application, { resource: service.url, scope });
  const right = await signIn(service, application, { resource, scope });
  const exchanged = signedIn(await exchange(server, right.accessToken));
  for (const token of [
    plain.accessToken,
    own.accessToken,
    right.refreshToken,
    right.idToken,
    exchanged.accessToken,
    'unknown',
    '',
  ]) {
    const refused = await exchange(server, token);
    expect(refused.status).toBe(400);
    expect(['invalid_grant', 'invalid_request']).toContain(refused.body.error);
  }
});

test('a registered MCP server exchanges tokens for its own resource', async () => {
  const { service, exchange } = await start();
  const resource = 'https://registered.example/mcp';
  const server = await service.register({
    name: 'MCP server',
    redirectUris: [],
    auth: 'client_secret_basic',
    resource,
  });
  const { accessToken } = await signIn(service, service.applications.public, { resource, scope });
  const answer = await exchange(server, accessToken);
  expect(answer.status).toBe(200);
  expect(answer.body.scope).toBe(scope);
});

test('nobody exchanges tokens of this service by naming its addresses as their own', async () => {
  const { service, resource, exchange } = await start();
  for (const claimed of [resource, service.url]) {
    const usurper = await service.register({
      name: 'Usurper',
      redirectUris: [],
      auth: 'client_secret_basic',
      resource: claimed,
    });
    const named = { resource: claimed, scope };
    const { accessToken } = await signIn(service, service.applications.public, named);
    const answer = await exchange(usurper, accessToken);
    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_grant']);
  }
});

test('tokens for an MCP server end with its registration', async () => {
  const { service } = await start();
  const resource = 'https://removed.example/mcp';
  const server = await service.register({ name: 'Removed', redirectUris: [], resource });
  const { accessToken } = await signIn(service, service.applications.public, { resource, scope });
  expect((await validate(service, accessToken, resource)).body.active).toBe(true);
  await administer(service, ({ applications }) => applications.remove(server.id));
  expect((await validate(service, accessToken, resource)).body.active).toBe(false);
});

test.each([
  ['another kind of token', { subject_token_type: 'urn:ietf:params:oauth:token-type:id_token' }],
  [
    'a wish for a refresh token',
    { requested_token_type: `${accessTokenType.slice(0, -12)}refresh_token` },
  ],
  ['an actor', { actor_token: 'x' }],
])('%s is refused', async (_what, fields) => {
  const { service, resource, server, exchange } = await start();
  const { accessToken } = await signIn(service, service.applications.public, { resource, scope });
  const refused = await exchange(server, accessToken, fields);
  expect(refused.status).toBe(400);
  expect(refused.body.error).toBe('invalid_request');
});

test('it is exchanged for the platform alone', async () => {
  const { service, resource, server, exchange } = await start();
  const { accessToken } = await signIn(service, service.applications.public, { resource, scope });
  for (const fields of [{ resource }, { audience: 'https://a.example' }]) {
    expect((await exchange(server, accessToken, fields)).body.error).toBe('invalid_target');
  }
  expect((await exchange(server, accessToken, { resource: service.url })).status).toBe(200);
});

test('what was exchanged ends with the token, at the latest, and with the sign-in', async () => {
  const startMs = 1_767_225_600_000;
  vi.useFakeTimers({ toFake: ['Date'], now: startMs });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const own = await startTestAuthorizationServer({ resourcePath: '/mcp' });
  onTestFinished(own.close);
  const { service, resource, server, exchange } = await start(own);
  const { accessToken } = await signIn(service, service.applications.public, { resource, scope });
  vi.setSystemTime(startMs + (86_400 - 100) * 1_000);
  const late = await exchange(server, accessToken);
  expect(late.body.expires_in).toBe(100);
  vi.setSystemTime(startMs + 86_400 * 1_000);
  expect((await validate(service, signedIn(late).accessToken)).body.active).toBe(false);
  expect((await exchange(server, accessToken)).body.error).toBe('invalid_grant');
  const again = await signIn(service, service.applications.public, { resource, scope });
  const exchanged = signedIn(await exchange(server, again.accessToken));
  await postForm(`${service.url}/oauth/revoke`, undefined, { token: again.refreshToken });
  expect((await validate(service, exchanged.accessToken)).body.active).toBe(false);
});

test('the MCP server of this process can do nothing else with its secret', async () => {
  const { service, server } = await start();
  const { accessToken } = await signIn(service, service.applications.public, { scope });
  for (const grant of ['client_credentials', 'refresh_token', 'authorization_code']) {
    const answer = await postForm(`${service.url}/oauth/token`, server, {
      grant_type: grant,
      code: 'x',
      refresh_token: 'x',
      redirect_uri: service.url,
    });
    expect(answer.status).toBe(400);
  }
  await postForm(`${service.url}/oauth/revoke`, server, { token: accessToken });
  expect((await validate(service, accessToken)).body.active).toBe(true);
});

// Codes, tokens and what they are good for, through the endpoints.

import { expect, onTestFinished, test } from 'vitest';
import { openAdministration } from '../../src/authorization-server/administration.ts';
import { systemClock } from '../../src/clock.ts';
import { Secret } from '../../src/secret.ts';
import {
  authorizationUrl,
  postForm,
  refresh,
  signedIn,
  signIn,
  type TestApplication,
  type TestAuthorizationServer,
  validate,
} from '../fixtures/authorization-server.ts';
import { agree, openFormBrowser } from '../fixtures/form-browser.ts';
import { addGrace, addPerson } from './page-visits.ts';
import { shareService } from './shared-service.ts';

const start = shareService();
/** With an MCP server of its own process, at `/mcp`. */
const startWithMcp = shareService({ resourcePath: '/mcp' });

test.each(['post', 'basic', 'public', 'mcp'] as const)(
  'a code flow of a client with %s gives opaque tokens that validate',
  async (name) => {
    const service = await start();
    const { answer, accessToken, refreshToken, idToken } = await signIn(
      service,
      service.applications[name],
      { scope: 'openid project:read image:read' },
    );
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.body).toSorted()).toEqual([
      'access_token',
      'expires_in',
      'id_token',
      'refresh_token',
      'scope',
      'token_type',
    ]);
    expect(answer.body.token_type).toBe('Bearer');
    expect(answer.body.scope).toBe('openid project:read image:read');
    expect(answer.body.expires_in).toBe(name === 'mcp' ? 86_400 : 3_600);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(accessToken).toMatch(/^[\w-]{43}$/);
    expect(refreshToken).toMatch(/^[\w-]{43}$/);
    expect(idToken.split('.')).toHaveLength(3);
    const { status, body } = await validate(service, accessToken);
    expect(status).toBe(200);
    expect(body).toEqual({
      active: true,
      exp: expect.any(Number),
      workspace_url: 'acme',
      scopes: ['openid', 'project:read', 'image:read'],
    });
  },
);

/** A code and what belongs to it, not redeemed. */
async function codeFor(
  service: TestAuthorizationServer,
  application: TestApplication,
  parameters: Readonly<Record<string, string>> = {},
) {
  const { url, verifier } = authorizationUrl(service, application, parameters);
  const final = await service.agree(url);
  return {
    grant_type: 'authorization_code',
    code: final.searchParams.get('code') ?? '',
    redirect_uri: application.redirectUri,
    code_verifier: verifier,
  };
}

const redeem = (
  service: TestAuthorizationServer,
  application: TestApplication,
  fields: Readonly<Record<string, string>>,
) => postForm(`${service.url}/oauth/token`, application, fields);

test('50 redemptions of one code at once give tokens once at most, and none that last', async () => {
  const service = await start();
  const application = service.applications.post;
  const fields = await codeFor(service, application);
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => redeem(service, application, fields)),
  );
  const good = answers.filter(({ status }) => status === 200);
  expect(good.length).toBeLessThanOrEqual(1);
  for (const { status, body } of answers) {
    if (status !== 200) expect(body.error).toBe('invalid_grant');
    else expect((await validate(service, String(body.access_token))).body.active).toBe(false);
  }
});

test('a code that is used again ends what came of its first use', async () => {
  const service = await start();
  const application = service.applications.public;
  const fields = await codeFor(service, application);
  const first = signedIn(await redeem(service, application, fields));
  expect((await validate(service, first.accessToken)).body.active).toBe(true);
  const replay = await redeem(service, application, fields);
  expect(replay.status).toBe(400);
  expect(replay.body.error).toBe('invalid_grant');
  expect((await validate(service, first.accessToken)).body.active).toBe(false);
  const next = await refresh(service, application, first.refreshToken);
  expect(next.body.error).toBe('invalid_grant');
});

test('each kind of token is taken as its own kind alone', async () => {
  const service = await start();
  const application = service.applications.public;
  const unused = await codeFor(service, application);
  const fields = await codeFor(service, application);
  const { accessToken, refreshToken } = signedIn(await redeem(service, application, fields));
  for (const code of [accessToken, refreshToken]) {
    const answer = await redeem(service, application, { ...unused, code });
    expect(answer.body.error).toBe('invalid_grant');
  }
  for (const token of [unused.code, accessToken]) {
    expect((await refresh(service, application, token)).body.error).toBe('invalid_grant');
  }
  for (const token of [unused.code, refreshToken]) {
    expect((await validate(service, token)).body.active).toBe(false);
  }
  // What was presented as something else is still good as what it is.
  expect((await validate(service, accessToken)).body.active).toBe(true);
  expect((await refresh(service, application, refreshToken)).status).toBe(200);
  expect((await redeem(service, application, unused)).status).toBe(200);
});

test.each([
  ['another verifier', { code_verifier: 'x'.repeat(43) }],
  ['a verifier of 42 characters', { code_verifier: 'x'.repeat(42) }],
  ['no verifier', { code_verifier: '' }],
  ['another redirect URI', { redirect_uri: 'http://127.0.0.1:8977/callback' }],
  ['no redirect URI', { redirect_uri: '' }],
])('a code with %s gives nothing, and is still good for its owner', async (_what, wrong) => {
  const service = await start();
  const application = service.applications.post;
  const fields = await codeFor(service, application);
  const answer = await redeem(service, application, { ...fields, ...wrong });
  expect(answer.status).toBe(400);
  expect(['invalid_grant', 'invalid_request']).toContain(answer.body.error);
  expect((await redeem(service, application, fields)).status).toBe(200);
});

test('a code is worth nothing to another client', async () => {
  const service = await start();
  const fields = await codeFor(service, service.applications.post);
  const answer = await redeem(service, service.applications.basic, fields);
  expect(answer.body.error).toBe('invalid_grant');
});

test('a desktop application may use any port of its loopback address, others their own', async () => {
  const service = await start();
  const { public: desktop, post } = service.applications;
  const moved = { ...desktop, redirectUri: 'http://127.0.0.1:50123/callback' };
  expect((await redeem(service, moved, await codeFor(service, moved))).status).toBe(200);
  for (const wrong of [
    { ...desktop, redirectUri: 'http://localhost:8976/callback' },
    { ...desktop, redirectUri: 'http://127.0.0.1:8976/other' },
    { ...desktop, redirectUri: 'http://127.0.0.2:8976/callback' },
    { ...post, redirectUri: 'http://127.0.0.1:50123/callback' },
  ]) {
    const page = await openFormBrowser().get(authorizationUrl(service, wrong).url);
    expect(page.status).toBe(400);
    expect(page.next).toBeUndefined();
  }
});

test('two programs that sign in by one browser have sign-ins of their own', async () => {
  const service = await start();
  const browser = openFormBrowser();
  for (const application of [service.applications.public, service.applications.post]) {
    const one = await signIn(service, application, {}, browser);
    const two = await signIn(service, application, {}, browser);
    await postForm(`${service.url}/oauth/revoke`, undefined, { token: one.refreshToken });
    expect((await validate(service, one.accessToken)).body.active).toBe(false);
    expect((await validate(service, two.accessToken)).body.active).toBe(true);
    expect((await refresh(service, application, two.refreshToken)).status).toBe(200);
  }
});

test('a browser that agreed before is asked again for more, and by programs on its computer', async () => {
  const service = await start();
  const browser = openFormBrowser();
  const { post, public: desktop } = service.applications;
  const web = await service.register({ name: 'Web', redirectUris: ['https://web.example/back'] });
  const scope = 'openid image:read';
  await signIn(service, web, { scope }, browser);
  const answerTo = async (application: TestApplication, wanted: string) => {
    const silent = { scope: wanted, prompt: 'none' };
    const { next } = await browser.get(authorizationUrl(service, application, silent).url);
    return next?.searchParams.get('error') ?? next?.searchParams.get('code');
  };
  expect(await answerTo(web, scope)).toMatch(/^[\w-]{43}$/);
  expect(await answerTo(web, 'openid image:read model:infer')).toBe('consent_required');
  await signIn(service, post, { scope }, browser);
  expect(await answerTo(post, scope)).toBe('consent_required');
  await signIn(service, desktop, { scope }, browser);
  expect(await answerTo(desktop, scope)).toBe('interaction_required');
});

test('tokens end with their application, and with their account', async () => {
  const service = await start();
  const owner = await addGrace(service, ['acme']);
  const removed = await service.register({ name: 'Removed', auth: 'none', desktop: true });
  const ofRemoved = await signIn(service, removed);
  const kept = await signIn(service, service.applications.public, {}, openFormBrowser(), owner);
  const { accounts, applications, close } = await openAdministration(service.data, systemClock);
  onTestFinished(close);
  await applications.remove(removed.id);
  expect((await validate(service, ofRemoved.accessToken)).body.active).toBe(false);
  const next = await refresh(service, removed, ofRemoved.refreshToken);
  expect(next.body.error).toBe('invalid_client');
  expect((await validate(service, kept.accessToken)).body.active).toBe(true);
  await accounts.remove(owner.name);
  expect((await validate(service, kept.accessToken)).body.active).toBe(false);
  const gone = await refresh(service, service.applications.public, kept.refreshToken);
  expect(gone.body.error).toBe('invalid_grant');
});

test('a token is for the workspace that was chosen when it was allowed, refreshed or not', async () => {
  const service = await start();
  const bob = await addPerson(service, { name: 'Bob', email: 'bob@example.com' }, [
    'acme',
    'umbrella',
  ]);
  const application = service.applications.public;
  const { url, verifier } = authorizationUrl(service, application);
  const final = await agree(openFormBrowser(), url, { ...bob, workspace: 'umbrella' });
  const tokens = signedIn(
    await redeem(service, application, {
      grant_type: 'authorization_code',
      code: final.searchParams.get('code') ?? '',
      redirect_uri: application.redirectUri,
      code_verifier: verifier,
    }),
  );
  expect((await validate(service, tokens.accessToken)).body.workspace_url).toBe('umbrella');
  const next = signedIn(await refresh(service, application, tokens.refreshToken));
  expect((await validate(service, next.accessToken)).body.workspace_url).toBe('umbrella');
});

test('a token for an MCP server lives for 24 hours, is for it alone, and not for userinfo', async () => {
  const service = await startWithMcp();
  const resource = `${service.url}/mcp`;
  const { accessToken, refreshToken, answer } = await signIn(service, service.applications.public, {
    resource,
    scope: 'openid image:read',
  });
  expect(answer.body).toMatchObject({ expires_in: 86_400, scope: 'openid image:read' });
  expect((await validate(service, accessToken)).body.active).toBe(true);
  expect((await validate(service, accessToken, resource)).body.active).toBe(true);
  expect((await validate(service, accessToken, `${resource}/`)).body.active).toBe(true);
  expect((await validate(service, accessToken, service.url)).body.active).toBe(false);
  expect((await validate(service, accessToken, `${resource}/other`)).body.active).toBe(false);
  const verified = await service.server.verify(new Secret(accessToken));
  expect(verified).toMatchObject({
    subject: service.accountId,
    clientId: service.applications.public.id,
    workspace: 'acme',
    audience: resource,
  });
  const headers = { authorization: `Bearer ${accessToken}` };
  expect((await fetch(`${service.url}/oauth/userinfo`, { headers })).status).toBe(401);
  const next = await refresh(service, service.applications.public, refreshToken);
  expect(next.body.expires_in).toBe(86_400);
  const again = await validate(service, signedIn(next).accessToken, resource);
  expect(again.body.active).toBe(true);
});

test('a token that nobody asked for an audience has none, and is for no MCP server', async () => {
  const service = await startWithMcp();
  const { accessToken } = await signIn(service, service.applications.public);
  const verified = await service.server.verify(new Secret(accessToken));
  expect(verified?.audience).toBeUndefined();
  const { body } = await validate(service, accessToken, `${service.url}/mcp`);
  expect(body.active).toBe(false);
});

test('a token may name the service itself as its audience; it lives for an hour then', async () => {
  const service = await start();
  const resource = service.url;
  const signed = await signIn(service, service.applications.public, { resource });
  expect(signed.answer.body.expires_in).toBe(3_600);
  const verified = await service.server.verify(new Secret(signed.accessToken));
  expect(verified?.audience).toBe(service.url);
});

test('a code that was allowed for one resource gives no token for another', async () => {
  const service = await startWithMcp();
  await service.register({ name: 'Other', redirectUris: [], resource: 'https://mcp.example/mcp' });
  const application = service.applications.public;
  const resource = `${service.url}/mcp`;
  const fields = await codeFor(service, application, { resource });
  const wrong = { ...fields, resource: 'https://mcp.example/mcp' };
  expect((await redeem(service, application, wrong)).body.error).toBe('invalid_target');
  const plain = await codeFor(service, application);
  const added = await redeem(service, application, { ...plain, resource });
  expect(added.body.error).toBe('invalid_target');
});

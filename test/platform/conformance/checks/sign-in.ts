// The sign-in service: authorization, tokens, discovery.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import * as z from 'zod';
import { expectStatus } from '../../../conformance/http.ts';
import {
  answerOf,
  authorizationUrl,
  postForm,
  refresh,
  type TestApplication,
  validate,
} from '../../../fixtures/authorization-server.ts';
import { openFormBrowser } from '../../../fixtures/form-browser.ts';
import { type Context, check, type FamilyChecks } from '../check.ts';
import {
  agreeTo,
  applicationOf,
  claimsOf,
  givesNothing,
  granted,
  hasNoCode,
  redeem,
  tokensFor,
  unwilling,
} from '../sign-in-steps.ts';
import { ask, askFor, getObject, given, refused } from '../steps.ts';

const inactive = z.looseObject({ active: z.literal(false), exp: z.null() });

const validity = z.looseObject({
  active: z.boolean(),
  exp: z.int().nullable(),
  workspace_url: z.string(),
  scopes: z.array(z.string()),
});

const discovery = z.looseObject({
  issuer: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  userinfo_endpoint: z.string(),
  jwks_uri: z.string(),
  token_endpoint_auth_methods_supported: z.array(z.string()),
  code_challenge_methods_supported: z.array(z.string()),
});

const discoveryPath = '/.well-known/openid-configuration';

/** What validate says; always with 200. */
async function validityOf(context: Context, token: string) {
  const { status, body } = await validate(context.client, token);
  assert.equal(status, 200, 'validate answers 200');
  const { data, error } = validity.safeParse(body);
  return data ?? assert.fail(z.prettifyError(error));
}

function revoke(context: Context, token: string) {
  return postForm(`${context.client.url}/oauth/revoke`, applicationOf(context), { token });
}

/** The same application with another secret, or with none. */
function withSecret(application: TestApplication, secret: string | undefined): TestApplication {
  return { ...application, secret, auth: secret === undefined ? 'none' : application.auth };
}

export const signInChecks: FamilyChecks = {
  'sign-in': [
    check('a sign-in goes by consent to a code, and from it to tokens', ['24.1', '24.2'], signIn),
    check('an access token is opaque and calls the API for an hour', ['24.13', '1.3'], callApi),
    check('validate knows a token, and answers 200 to every one', ['24.3', '24.4'], seeValidity),
    check('a revoked token is inactive', ['24.5', '8.8'], revokeTokens),
    check('userinfo needs openid', ['24.6'], seeUser),
    check('discovery names the endpoints', ['24.7'], discover),
    check('an ID token is signed by a published key', ['24.8', '24.12'], verifyIdToken),
    check('an ID token comes with openid alone', ['24.12'], askWithoutOpenid),
    check('an application proves itself with its secret', ['24.9'], authenticate),
    check('a refresh token gives a new access token', ['24.10', '24.14'], refreshToken),
    check('PKCE with S256 is required', ['24.11'], needChallenge),
    check('a verifier has 43 to 128 characters', ['24.11'], measureVerifiers),
    check('a redirect URI matches exactly', ['24.16'], matchRedirectUris),
  ],
  expired: [
    check('an expired token is inactive', ['8.8'], async (context) => {
      const token = given(context.expiredToken, '--expired-token');
      inactive.parse(await validityOf(context, token));
      await refused(context.clientWith(token), { path: `/${context.workspace}` }, 401);
    }),
  ],
};

async function signIn(context: Context): Promise<void> {
  const { browser, asked } = unwilling();
  hasNoCode(await agreeTo(context, {}, { browser }), 'denied');
  assert.equal(asked(), 1, 'the person was asked for consent');
  const agreed = await agreeTo(context);
  const tokens = granted(await redeem(context, agreed));
  assert.equal(new Set([tokens.access_token, tokens.refresh_token, tokens.id_token]).size, 3);
  givesNothing(await redeem(context, agreed), 'a code that was used');
  const json = JSON.stringify({ grant_type: 'authorization_code' });
  const headers = { 'content-type': 'application/json' };
  const init = { method: 'POST', body: json, headers };
  givesNothing(await answerOf(await fetch(`${context.client.url}/oauth/token`, init)), 'JSON');
}

async function callApi(context: Context): Promise<void> {
  const { access_token: token, expires_in } = await tokensFor(context, 'openid workspace:read');
  assert.equal(expires_in, 3_600);
  assert.ok(!token.includes('.'), 'it is no JWT');
  const client = context.clientWith(token);
  await ask(client, { path: `/${context.workspace}` }, 200);
  await refused(client, { path: `/${context.workspace}/api-keys` }, 403);
  await refused(context.stranger, { path: '/', query: { api_key: token } }, 401);
}

async function seeValidity(context: Context): Promise<void> {
  const { access_token: token } = await tokensFor(context, 'openid project:read');
  const found = await validityOf(context, token);
  assert.equal(found.active, true);
  assert.equal(found.workspace_url, context.workspace);
  assert.deepEqual(found.scopes.toSorted(), ['openid', 'project:read']);
  // Seconds of the two machines may differ a little.
  const left = (found.exp ?? 0) - Date.parse(new Date().toISOString()) / 1_000;
  assert.ok(left > 3_500 && left < 3_700, `exp is ${left} s away`);
  inactive.parse(await validityOf(context, 'a-token-of-nobody'));
  const bare = await answerOf(await fetch(`${context.client.url}/oauth/validate`));
  assert.equal(bare.status, 200, 'without a token');
  inactive.parse(bare.body);
}

async function revokeTokens(context: Context): Promise<void> {
  const first = await tokensFor(context, 'openid workspace:read');
  const client = context.clientWith(first.access_token);
  await ask(client, { path: `/${context.workspace}` }, 200);
  assert.equal((await revoke(context, first.access_token)).status, 200);
  inactive.parse(await validityOf(context, first.access_token));
  await refused(client, { path: `/${context.workspace}` }, 401);
  const second = await tokensFor(context, 'openid');
  assert.equal((await revoke(context, second.refresh_token)).status, 200);
  const again = await refresh(context.client, applicationOf(context), second.refresh_token);
  givesNothing(again, 'a refresh token that was revoked');
  const other = await tokensFor(context, 'openid');
  assert.equal((await validityOf(context, other.access_token)).active, true, 'others stay');
}

async function seeUser(context: Context): Promise<void> {
  const { access_token } = await tokensFor(context, 'openid profile email');
  const user = z.looseObject({ sub: z.string().min(1), name: z.string(), email: z.string() });
  const found = await askFor(context.clientWith(access_token), user, { path: '/oauth/userinfo' });
  assert.equal(found.email, given(context.signIn, '--email').email);
  const less = await tokensFor(context, 'openid');
  const bare = await getObject(context.clientWith(less.access_token), '/oauth/userinfo');
  assert.deepEqual(bare, { sub: found.sub }, 'openid alone tells the sub, always the same');
  for (const client of [
    context.stranger,
    context.clientWith('a-token-of-nobody'),
    context.client,
  ]) {
    const { status } = await client.send({ path: '/oauth/userinfo' });
    assert.ok(status === 400 || status === 401, `userinfo without a token of openid: ${status}`);
  }
}

async function discover(context: Context): Promise<void> {
  const found = await askFor(context.stranger, discovery, { path: discoveryPath });
  const { url } = context.client;
  assert.equal(found.issuer, url);
  assert.equal(found.authorization_endpoint, `${url}/oauth/authorize`);
  assert.equal(found.token_endpoint, `${url}/oauth/token`);
  assert.equal(found.userinfo_endpoint, `${url}/oauth/userinfo`);
  assert.equal(found.jwks_uri, `${url}/.well-known/jwks.json`);
  assert.deepEqual(found.code_challenge_methods_supported, ['S256']);
  for (const way of ['client_secret_post', 'client_secret_basic']) {
    assert.ok(found.token_endpoint_auth_methods_supported.includes(way), way);
  }
}

async function verifyIdToken(context: Context): Promise<void> {
  const { id_token, access_token } = await tokensFor(context, 'openid');
  const call = { path: '/.well-known/jwks.json' };
  const reply = await context.stranger.send(call);
  expectStatus(call, reply, 200);
  const keys = reply.json;
  // Of an RSA key: what only its owner may know.
  assert.doesNotMatch(JSON.stringify(keys), /"(d|p|q|dp|dq|qi|k)":/);
  const { iss, aud, sub, exp, iat } = claimsOf(id_token, keys);
  assert.equal(iss, context.client.url);
  assert.deepEqual([aud].flat(), [applicationOf(context).id]);
  assert.ok(exp > iat, 'it ends');
  const user = await getObject(context.clientWith(access_token), '/oauth/userinfo');
  assert.equal(user.sub, sub);
}

/** Either nothing is given, since openid is required, or tokens without an ID token. */
async function askWithoutOpenid(context: Context): Promise<void> {
  const agreed = await agreeTo(context, { scope: 'workspace:read' });
  if (agreed.final.searchParams.has('code')) {
    const { status, body } = await redeem(context, agreed);
    assert.deepEqual([status, body.id_token], [200, undefined]);
  } else hasNoCode(agreed, 'without openid');
  assert.ok((await tokensFor(context, 'openid workspace:read')).id_token.split('.').length === 3);
}

async function authenticate(context: Context): Promise<void> {
  const post = applicationOf(context);
  const { basic, redirectUri } = given(context.signIn, '--client-id and its kin');
  const { clientId, clientSecret } = given(basic, '--basic-client-id and --basic-client-secret');
  const headed: TestApplication = {
    id: clientId,
    secret: clientSecret,
    auth: 'client_secret_basic',
    redirectUri,
  };
  for (const application of [post, headed]) {
    const agreed = await agreeTo(context, {}, { application });
    for (const secret of ['a-wrong-secret', undefined]) {
      const answer = await redeem(context, agreed, {}, withSecret(application, secret));
      givesNothing(answer, `${application.auth} with ${secret}`);
    }
    granted(await redeem(context, await agreeTo(context, {}, { application })));
  }
}

async function refreshToken(context: Context): Promise<void> {
  const application = applicationOf(context);
  const first = await tokensFor(context, 'openid workspace:read');
  for (const secret of ['a-wrong-secret', undefined]) {
    const wrong = withSecret(application, secret);
    givesNothing(await refresh(context.client, wrong, first.refresh_token), `secret ${secret}`);
  }
  givesNothing(await refresh(context.client, application, 'a-token-of-nobody'), 'nobody’s token');
  const { status, body } = await refresh(context.client, application, first.refresh_token);
  assert.equal(status, 200, JSON.stringify(body));
  const token = String(body.access_token);
  assert.notEqual(token, first.access_token);
  assert.equal((await validityOf(context, token)).active, true);
  await ask(context.clientWith(token), { path: `/${context.workspace}` }, 200);
}

async function needChallenge(context: Context): Promise<void> {
  const bare = { without: ['code_challenge', 'code_challenge_method'] };
  hasNoCode(await agreeTo(context, {}, bare), 'without a challenge');
  hasNoCode(await agreeTo(context, { code_challenge_method: 'plain' }), 'plain');
  const wrong = { code_verifier: 'another-verifier-'.repeat(3) };
  givesNothing(await redeem(context, await agreeTo(context), wrong), 'another verifier');
  const agreed = await agreeTo(context);
  const none = await redeem(context, agreed, { code_verifier: '' });
  givesNothing(none, 'no verifier');
  granted(await redeem(context, await agreeTo(context)));
}

async function measureVerifiers(context: Context): Promise<void> {
  for (const [length, isRight] of [
    [42, false],
    [43, true],
    [128, true],
    [129, false],
  ] as const) {
    const verifier = 'v'.repeat(length);
    const code_challenge = createHash('sha256').update(verifier).digest('base64url');
    const answer = await redeem(context, {
      ...(await agreeTo(context, { code_challenge })),
      verifier,
    });
    if (isRight) granted(answer);
    else givesNothing(answer, `a verifier of ${length} characters`);
  }
}

async function matchRedirectUris(context: Context): Promise<void> {
  const application = applicationOf(context);
  const { redirectUri } = application;
  const others = [`${redirectUri}/`, `${redirectUri}?a=b`, `${redirectUri}x`];
  for (const redirect_uri of [...others, 'https://example.com/callback', 'not-a-uri']) {
    const { url } = authorizationUrl(context.client, application, { redirect_uri });
    const visit = await openFormBrowser().get(url);
    assert.equal(visit.status, 400, redirect_uri);
    assert.equal(visit.next, undefined, 'the browser is sent nowhere');
  }
  const changed = { redirect_uri: `${redirectUri}/` };
  givesNothing(await redeem(context, await agreeTo(context), changed), 'another URI for the code');
  granted(await redeem(context, await agreeTo(context)));
}

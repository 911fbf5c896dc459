// The steps of the checks of the sign-in service: agree as the person, redeem a code, be refused.
// The pages are filled in as those of Fovea are; all else is what the specification says.

import assert from 'node:assert/strict';
import { createPublicKey, verify } from 'node:crypto';
import * as z from 'zod';
import {
  type Answer,
  authorizationUrl,
  type Proof,
  postForm,
  type TestApplication,
} from '../../fixtures/authorization-server.ts';
import { agree, type FormBrowser, openFormBrowser } from '../../fixtures/form-browser.ts';
import type { Context } from './check.ts';
import { given } from './steps.ts';

type Texts = Readonly<Record<string, string>>;

interface Agreed extends Proof {
  /** Where the browser was sent in the end: the address of the application. */
  readonly final: URL;
  readonly application: TestApplication;
}

interface AgreeOptions {
  readonly browser?: FormBrowser;
  /** Parameters that are left out. */
  readonly without?: readonly string[];
  readonly application?: TestApplication;
}

const text = z.string().min(1);

const grant = z.looseObject({
  access_token: text,
  refresh_token: text,
  token_type: z.stringFormat('Bearer', /^bearer$/i),
  id_token: text,
  expires_in: z.int(),
});

type Grant = z.output<typeof grant>;

/** The application of the profile, which sends its secret in the body. */
export function applicationOf(context: Context): TestApplication {
  const { clientId, clientSecret, redirectUri } = given(context.signIn, '--client-id and its kin');
  return { id: clientId, secret: clientSecret, auth: 'client_secret_post', redirectUri };
}

/** Signs the person in and allows what is asked for. */
export async function agreeTo(
  context: Context,
  parameters: Texts = {},
  options: AgreeOptions = {},
): Promise<Agreed> {
  const {
    browser = openFormBrowser(),
    without = [],
    application = applicationOf(context),
  } = options;
  const { email, password } = given(context.signIn, '--email and --password');
  const proof = authorizationUrl(context.client, application, parameters);
  for (const name of without) proof.url.searchParams.delete(name);
  const person = { name: email, password, workspace: context.workspace };
  const final = await agree(browser, proof.url, person);
  const { origin, pathname } = final;
  assert.equal(URL.parse(origin + pathname)?.href, URL.parse(application.redirectUri)?.href);
  assert.equal(final.searchParams.get('state'), proof.state, 'state comes back');
  return { ...proof, final, application };
}

/** Exchanges the code, as the application unless `as` is given. */
export function redeem(
  context: Context,
  { final, application, verifier }: Agreed,
  changes: Texts = {},
  as: TestApplication = application,
): Promise<Answer> {
  const code = final.searchParams.get('code');
  assert.ok(code, `a code in ${final.href}`);
  return postForm(`${context.client.url}/oauth/token`, as, {
    grant_type: 'authorization_code',
    code,
    code_verifier: verifier,
    redirect_uri: application.redirectUri,
    ...changes,
  });
}

/** A whole sign-in: the tokens. */
export async function tokensFor(
  context: Context,
  scope: string,
  application = applicationOf(context),
): Promise<Grant> {
  return granted(await redeem(context, await agreeTo(context, { scope }, { application })));
}

/** The members of an answer that must be 200 with tokens. */
export function granted({ status, body, headers }: Answer): Grant {
  assert.equal(status, 200, `the token endpoint: ${JSON.stringify(body)}`);
  assert.match(headers.get('content-type') ?? '', /^application\/json\b/);
  const { data, error } = grant.safeParse(body);
  return data ?? assert.fail(z.prettifyError(error));
}

/** An answer of the token endpoint that gives nothing. The specification shows no body for it. */
export function givesNothing({ status, body }: Answer, why: string): void {
  assert.ok(status === 400 || status === 401, `${why}: ${status} ${JSON.stringify(body)}`);
  assert.equal(body.access_token, undefined, why);
}

/** An address of the application that says an error, and has no code. */
export function hasNoCode({ final }: Agreed, why: string): void {
  assert.equal(final.searchParams.get('code'), null, why);
  assert.ok(final.searchParams.get('error'), `${why}: an error in ${final.href}`);
}

/** A browser whose person says no where consent is asked for; how often that was. */
export function unwilling(): { readonly browser: FormBrowser; readonly asked: () => number } {
  const browser = openFormBrowser();
  let asked = 0;
  return {
    asked: () => asked,
    browser: {
      ...browser,
      post: (url, fields) => {
        if (fields.decision === undefined) return browser.post(url, fields);
        asked += 1;
        return browser.post(url, { ...fields, decision: 'deny' });
      },
    },
  };
}

const jwks = z.looseObject({ keys: z.array(z.looseObject({ kty: z.string(), kid: text })).min(1) });

const claims = z.looseObject({
  iss: text,
  sub: text,
  aud: z.union([text, z.array(text)]),
  exp: z.int(),
  iat: z.int(),
});

/** The claims of an ID token that one of these keys signed. */
export function claimsOf(idToken: string, keys: unknown): z.output<typeof claims> {
  const [head = '', body = '', signature = ''] = idToken.split('.');
  const { kid, alg } = z.looseObject({ kid: text, alg: text }).parse(decoded(head));
  assert.equal(alg, 'RS256');
  const key = jwks.parse(keys).keys.find((each) => each.kid === kid);
  const publicKey = createPublicKey({ key: given(key, `the key ${kid}`), format: 'jwk' });
  const bytes = Buffer.from(signature, 'base64url');
  assert.ok(verify('RSA-SHA256', Buffer.from(`${head}.${body}`), publicKey, bytes), 'signature');
  return claims.parse(decoded(body));
}

function decoded(part: string): unknown {
  return JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
}

// What the judges of the sign-in service share: the whole platform with its service as
// `fovea platform` mounts it, people with accounts, registered applications, and a small browser.

import { createHash, createPublicKey, randomBytes, verify } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { get as httpGet, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Accounts } from '../../src/authorization-server/accounts.ts';
import { openAdministration } from '../../src/authorization-server/administration.ts';
import { servePlatform } from '../../src/bin/platform.ts';
import { systemClock } from '../../src/clock.ts';
import { readSettings } from '../../src/config.ts';
import { createLog } from '../../src/log.ts';
import { Secret } from '../../src/secret.ts';
import { addCheapAccount } from '../fixtures/fast-password-account.ts';
import { databaseOf } from '../fixtures/platform.ts';
import { type Browser, openCookieBrowser } from './cookie-browser.ts';

export const password = 'eight purple lanterns';

/** A registered application, as its developer knows it. */
export interface Registered {
  readonly id: string;
  readonly secret: string;
  readonly authentication: 'client_secret_post' | 'client_secret_basic' | 'none';
  /** The first of its redirect URIs. */
  readonly redirectUri: string;
}

export interface PlatformWithAccounts {
  readonly issuer: string;
  /** An API key of the platform. */
  readonly key: string;
  readonly ada: { readonly id: string; readonly email: string };
  readonly applications: Readonly<Record<ApplicationName, Registered>>;
  /** Another account; gives its id. */
  addAccount(name: string, workspaces: readonly string[]): Promise<string>;
  removeAccount(email: string): Promise<void>;
  /** As `fovea account password` does. */
  changePassword(email: string, password: string): Promise<void>;
  /** A browser in which nobody is signed in. */
  browser(): Browser;
  close(): Promise<void>;
}

/** The MCP server that is registered as `resource`. */
export const mcpResource = 'https://mcp.example/mcp';

const applications = {
  post: ['client_secret_post', ['https://client.example/callback']],
  basic: ['client_secret_basic', ['https://basic.example/callback']],
  public: ['none', ['https://public.example/callback']],
  other: ['client_secret_post', ['https://other.example/callback']],
  several: [
    'client_secret_post',
    ['https://several.example/one', 'https://several.example/two?one=1&two=2'],
  ],
  desktop: ['none', ['http://127.0.0.1/callback']],
  resource: ['client_secret_basic', ['https://mcp.example/callback']],
} as const;

type ApplicationName = keyof typeof applications;

/** Starts what `fovea platform` starts, on a free port; `publicUrl` as FOVEA_PUBLIC_URL. */
export async function startPlatformWithAccounts(publicUrl?: string): Promise<PlatformWithAccounts> {
  const data = await mkdtemp(join(tmpdir(), 'fovea-judge-'));
  const key = 'a-key-for-tests';
  const databaseUrl = await databaseOf(data);
  const settings = readSettings({
    FOVEA_HOME: data,
    FOVEA_API_KEY: key,
    FOVEA_WORKSPACE: 'acme',
    ...(publicUrl !== undefined && { FOVEA_PUBLIC_URL: publicUrl }),
    ...(databaseUrl && { FOVEA_DATABASE_URL: databaseUrl.reveal() }),
  });
  const command = { host: '127.0.0.1', port: 0, data };
  const platform = await servePlatform(command, settings, createLog('error'));
  const administration = await openAdministration(data, systemClock, databaseUrl);
  const addAccount = (name: string, workspaces: readonly string[]) => {
    const email = `${name.split(' ')[0]?.toLowerCase()}@example.com`;
    return addCheapAccount(data, { name, email, workspaces, password }, databaseUrl);
  };
  const id = await addAccount('Ada Lovelace', ['acme']);
  await addAccount('Grace Hopper', ['globex', 'initech']);
  const registered = await register(administration);
  await administration.close();
  const administer = async (work: (accounts: Accounts) => Promise<unknown>) => {
    const administration = await openAdministration(data, systemClock, databaseUrl);
    await work(administration.accounts);
    await administration.close();
  };
  return {
    issuer: platform.url,
    key,
    ada: { id, email: 'ada@example.com' },
    addAccount,
    removeAccount: (email) => administer((accounts) => accounts.remove(email)),
    changePassword: (email, next) =>
      administer(async (accounts) => {
        const found = await accounts.findByName(email);
        if (found === undefined) throw new Error(`There is no account of ${email}.`);
        await accounts.changePassword(found.id, new Secret(next), { programs: false });
      }),
    applications: registered,
    browser: () => openCookieBrowser(platform.url),
    close: async () => {
      await platform.close();
      await rm(data, { recursive: true, force: true });
    },
  };
}

async function register(administration: Awaited<ReturnType<typeof openAdministration>>) {
  const add = async (name: ApplicationName): Promise<Registered> => {
    const [authentication, redirectUris] = applications[name];
    const { application, secret } = await administration.applications.add(
      {
        name: `Application ${name}`,
        homepage: 'https://client.example/',
        redirectUris,
        auth: authentication,
        scopes: [],
        visibility: 'Public',
        mcp: false,
        desktop: name === 'desktop',
        ...(name === 'resource' && { resource: mcpResource }),
      },
      'acme',
    );
    const [redirectUri] = redirectUris;
    return { id: application.id, secret: secret?.reveal() ?? '', authentication, redirectUri };
  };
  return {
    post: await add('post'),
    basic: await add('basic'),
    public: await add('public'),
    other: await add('other'),
    several: await add('several'),
    desktop: await add('desktop'),
    resource: await add('resource'),
  };
}

/** The platform's page, as a client of the service. */
export function pageClient(issuer: string): Registered {
  const redirectUri = `${issuer}/`;
  return { id: 'fovea-page', secret: '', authentication: 'none', redirectUri };
}

/** What the page asks for, but for all scopes. */
export function pageRequest(issuer: string, changes: Changes = {}): URL {
  const wanted = { scope: 'openid workspace:read', resource: issuer, ...changes };
  return authorizeUrl(issuer, pageClient(issuer), wanted);
}

/** A code for the page, of somebody with one workspace, which was not redeemed. */
export async function pageCodeOf(
  platform: PlatformWithAccounts,
  name: string,
  changes: Changes = {},
): Promise<string> {
  const browser = platform.browser();
  let visit = await browser.go(pageRequest(platform.issuer, changes));
  visit = await browser.go(visit.onward ?? '');
  visit = await browser.submit(visit, { name, password });
  for (let step = 0; step < 3 && !visit.onward?.searchParams.has('code'); step += 1) {
    visit = await browser.go(visit.onward ?? '');
  }
  return visit.onward?.searchParams.get('code') ?? '';
}

/** RFC 7636: a verifier, a fresh one of 43 characters unless given, and its challenge. */
export function createVerifier(verifier = randomBytes(32).toString('base64url')) {
  return { verifier, challenge: challengeOf(verifier) };
}

export function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}

/** Parameters in place of those of a right request; undefined: left out. */
export type Changes = Readonly<Record<string, string | readonly string[] | undefined>>;

/** What an application that does everything right asks, with changes; undefined leaves one out. */
export function authorizeUrl(
  issuer: string,
  { id, redirectUri }: Registered,
  changes: Changes = {},
): URL {
  const url = new URL('/oauth/authorize', issuer);
  const parameters: Changes = {
    client_id: id,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'openid',
    state: 'a-state',
    code_challenge: challengeOf('a-verifier-that-only-the-application-knows-43'),
    code_challenge_method: 'S256',
    ...changes,
  };
  for (const [name, value] of Object.entries(parameters)) {
    for (const each of value === undefined ? [] : [value].flat())
      url.searchParams.append(name, each);
  }
  return url;
}

/** Redeems a code that `authorizeUrl` has asked for. */
export const ownVerifier = 'a-verifier-that-only-the-application-knows-43';

export interface TokenAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

/** POST /oauth/token with the authentication that the application is registered with. */
export async function postToken(
  issuer: string,
  application: Registered,
  changes: Changes,
): Promise<TokenAnswer> {
  const { id, secret, authentication } = application;
  const parameters: Changes = {
    ...(authentication !== 'client_secret_basic' && { client_id: id }),
    ...(authentication === 'client_secret_post' && { client_secret: secret }),
    ...changes,
  };
  const body = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    for (const each of value === undefined ? [] : [value].flat()) body.append(name, each);
  }
  const basic = Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`);
  const answer = await fetch(`${issuer}/oauth/token`, {
    method: 'POST',
    headers:
      authentication === 'client_secret_basic'
        ? { authorization: `Basic ${basic.toString('base64')}` }
        : {},
    body,
  });
  return { status: answer.status, headers: answer.headers, body: JSON.parse(await answer.text()) };
}

export function redeem(
  issuer: string,
  application: Registered,
  code: string,
  changes: Changes = {},
): Promise<TokenAnswer> {
  return postToken(issuer, application, {
    grant_type: 'authorization_code',
    redirect_uri: application.redirectUri,
    code_verifier: ownVerifier,
    code,
    ...changes,
  });
}

export function refresh(
  issuer: string,
  application: Registered,
  token: unknown,
  changes: Changes = {},
): Promise<TokenAnswer> {
  return postToken(issuer, application, {
    grant_type: 'refresh_token',
    refresh_token: String(token),
    ...changes,
  });
}

/** The claims of an id_token whose RS256 signature is that of a key in the JWKS. */
export async function claimsOfIdToken(
  issuer: string,
  idToken: unknown,
): Promise<Readonly<Record<string, unknown>>> {
  const [head = '', body = '', signature = ''] = String(idToken).split('.');
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
  const { alg, kid } = read(head);
  const { keys } = JSON.parse(await (await fetch(`${issuer}/.well-known/jwks.json`)).text());
  const jwk = keys.find((key: { readonly kid: string }) => key.kid === kid);
  if (alg !== 'RS256' || jwk === undefined) throw new Error(`no key for ${alg} ${kid}`);
  const key = createPublicKey({ key: jwk, format: 'jwk' });
  const signed = Buffer.from(`${head}.${body}`);
  const isRight = verify('RSA-SHA256', signed, key, Buffer.from(signature, 'base64url'));
  if (!isRight) throw new Error('the signature is wrong');
  return read(body);
}

export function userinfo(issuer: string, token: unknown): Promise<Response> {
  const headers = { authorization: `Bearer ${String(token)}` };
  return fetch(`${issuer}/oauth/userinfo`, { headers });
}

export async function isActive(issuer: string, token: unknown, query = ''): Promise<boolean> {
  const headers = { authorization: `Bearer ${String(token)}` };
  const answer = await fetch(`${issuer}/oauth/validate${query}`, { headers });
  return JSON.parse(await answer.text()).active === true;
}

/** A GET under another Host than that of the address, which fetch cannot send. */
export function getAs(host: string, url: URL): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request = httpGet(url, { headers: { host }, agent: false }, (response) => {
    response.resume();
    response.on('end', () => resolve(response));
  });
  request.on('error', reject);
  return promise;
}

// What is good for one use, sent many times at once: one request wins. And requests that are under
// way while a password changes.

import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createAccountStore } from '../../src/authorization-server/store/account-store.ts';
import { signInFile, signInMigrations } from '../../src/authorization-server/store/schema.ts';
import { type AsyncDatabase, openAsyncDatabase } from '../../src/storage/async-database.ts';
import {
  authorizationUrl,
  person,
  postForm,
  refresh,
  signedIn,
  signIn,
  startTestAuthorizationServer,
  type TestAuthorizationServer,
  validate,
} from '../fixtures/authorization-server.ts';
import { type FormBrowser, formOf, openFormBrowser } from '../fixtures/form-browser.ts';
import { administer, atConsent, send } from './page-visits.ts';
import { shareService } from './shared-service.ts';

const start = shareService();

const often = 64;

/** The answers to the same GET request, sent many times at once with the cookies of a browser. */
function getOften(browser: FormBrowser, url: string | URL): Promise<Response[]> {
  const cookie = cookieOf([...browser.cookies()]);
  const get = () => fetch(url, { redirect: 'manual', headers: { cookie } });
  return repeat(get);
}

function repeat<Answer>(request: () => Promise<Answer>): Promise<Answer[]> {
  return Promise.all(Array.from({ length: often }, request));
}

/**
 * Sends requests, all of which have read what they need before the first one can write: the test
 * has the lock of the database until then. `change` has it before them.
 */
async function sendWhileLocked<Answers>(
  service: TestAuthorizationServer,
  sendAll: () => Promise<Answers>,
  change: (database: AsyncDatabase) => Promise<void> = async () => {},
): Promise<Answers> {
  const database = openAsyncDatabase(join(service.data, signInFile), signInMigrations);
  try {
    const { sent } = await database.transaction(async () => {
      const answers = sendAll();
      // It answers what came before first, as far as it can.
      for (let count = 0; count < 10; count += 1)
        await fetch(`${service.url}/.well-known/jwks.json`);
      await change(database);
      return { sent: answers };
    });
    return await sent;
  } finally {
    database.close();
  }
}

const statusesOf = (answers: readonly { readonly status: number }[]) =>
  answers.map(({ status }) => status).toSorted((a, b) => a - b);

const allBut = (first: number, others: number) => [
  first,
  ...Array.from({ length: often - 1 }, () => others),
];

test('a consent is taken once', async () => {
  const service = await start();
  const { browser, page } = await atConsent(service, service.applications.post);
  const consent = () => send(browser, service, page, { decision: 'allow' });
  const answers = await sendWhileLocked(service, () => repeat(consent));
  expect(statusesOf(answers)).toEqual(allBut(200, 403));
});

test('a sign-in goes on once, and gives one code', async () => {
  const service = await start();
  const { browser, page } = await atConsent(service, service.applications.post);
  const { next } = await send(browser, service, page, { decision: 'allow' });
  const answers = await sendWhileLocked(service, () => getOften(browser, next ?? ''));
  expect(statusesOf(answers)).toEqual(allBut(303, 400));
  const codes = answers.flatMap(({ headers }) => {
    const location = headers.get('location');
    return location === null ? [] : [new URL(location).searchParams.get('code')];
  });
  expect(codes).toEqual([expect.stringMatching(/^[\w-]{43}$/)]);
});

test('a form of the settings registers one application', async () => {
  const service = await start();
  const browser = openFormBrowser();
  const signInPage = await browser.get(`${service.url}/settings/sign-in`);
  await send(browser, service, signInPage, { name: person.name, password: person.password });
  const page = await browser.get(`${service.url}/settings/applications`);
  const form = page.text.split('<form').find((each) => each.includes('name="redirect_uris"')) ?? '';
  const { fields } = formOf({ ...page, text: `<form${form}` });
  const values = {
    ...fields,
    name: 'Once',
    redirect_uris: 'https://once.example.com/back',
    workspace: 'acme',
    auth: 'none',
    visibility: 'Internal',
  };
  const register = () => browser.post(`${service.url}/settings/applications`, values);
  const answers = await sendWhileLocked(service, () => repeat(register));
  expect(statusesOf(answers)).toEqual(allBut(200, 403));
  const list = await administer(service, ({ applications }) => applications.list());
  expect(list.filter(({ name }) => name === 'Once')).toHaveLength(1);
});

test('a refresh token that was used leads many requests to its one successor', async () => {
  const service = await start();
  const application = service.applications.public;
  const { refreshToken } = await signIn(service, application);
  const use = () => refresh(service, application, refreshToken);
  const answers = await sendWhileLocked(service, () => repeat(use));
  const successors = new Set(answers.map((answer) => signedIn(answer).refreshToken));
  expect(successors.size).toBe(1);
  expect(successors.has(refreshToken)).toBe(false);
});

test('a code gives tokens once at most', async () => {
  const service = await start();
  const application = service.applications.post;
  const { url, verifier } = authorizationUrl(service, application);
  const code = (await service.agree(url)).searchParams.get('code') ?? '';
  const fields = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: application.redirectUri,
    code_verifier: verifier,
  };
  const redeem = () => postForm(`${service.url}/oauth/token`, application, fields);
  const answers = await sendWhileLocked(service, () => repeat(redeem));
  const good = answers.filter(({ status }) => status === 200);
  expect(good.length).toBeLessThanOrEqual(1);
  for (const { body } of good) {
    expect((await validate(service, String(body.access_token))).body.active).toBe(false);
  }
});

test.each(['a request', 'a sign-in'])('%s under way outlives no new password', async (what) => {
  const service = await startTestAuthorizationServer();
  onTestFinished(service.close);
  const { basic, post } = service.applications;
  const isSignIn = what === 'a sign-in';
  const begun = await atConsent(service, isSignIn ? basic : post);
  const { browser } = begun;
  let { next } = await send(browser, service, begun.page, { decision: 'allow' });
  if (!isSignIn) {
    await browser.get(next ?? '');
    next = authorizationUrl(service, post, { prompt: 'none' }).url;
  }
  const answers = await sendWhileLocked(
    service,
    () => getOften(browser, next ?? ''),
    (database) =>
      createAccountStore(database).setPassword(service.accountId, 'scrypt$another', {
        keptSession: undefined,
        programs: false,
      }),
  );
  const given = answers.map(({ headers }) => cookieOf(headers.getSetCookie().map(pairOf)));
  const silent = authorizationUrl(service, post, { prompt: 'none' }).url;
  for (const cookie of [cookieOf([...browser.cookies()]), ...new Set(given)]) {
    const headers = { cookie };
    const answer = await fetch(silent, { redirect: 'manual', headers });
    expect(answer.headers.get('location')).toContain('error=login_required');
  }
});

type CookiePair = readonly [name: string, value: string];

const cookieOf = (pairs: readonly CookiePair[]) => pairs.map((pair) => pair.join('=')).join('; ');

function pairOf(line: string): CookiePair {
  const [name = '', value = ''] = (line.split(';')[0] ?? '').split('=');
  return [name, value];
}

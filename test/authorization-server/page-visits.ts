// What the tests of the pages share: a service, people, and a way to the page that is tested.

import { onTestFinished } from 'vitest';
import {
  type Administration,
  openAdministration,
} from '../../src/authorization-server/administration.ts';
import type { Account } from '../../src/authorization-server/store/account-store.ts';
import { systemClock } from '../../src/clock.ts';
import type { Secret } from '../../src/secret.ts';
import {
  authorizationUrl,
  person,
  startTestAuthorizationServer,
  type TestApplication,
  type TestAuthorizationServer,
} from '../fixtures/authorization-server.ts';
import { addCheapAccount } from '../fixtures/fast-password-account.ts';
import { type FormBrowser, formOf, openFormBrowser, type Visit } from '../fixtures/form-browser.ts';

/** A service that ends with its test. */
export async function openService(): Promise<TestAuthorizationServer> {
  const service = await startTestAuthorizationServer();
  onTestFinished(() => service.close());
  return service;
}

/** What the commands for accounts and applications work on, beside the running service. */
export async function administer<T>(
  { data, databaseUrl }: Pick<TestAuthorizationServer, 'data' | 'databaseUrl'>,
  work: (administration: Administration) => T | Promise<T>,
): Promise<T> {
  const administration = await openAdministration(data, systemClock, databaseUrl);
  try {
    return await work(administration);
  } finally {
    await administration.close();
  }
}

/** The account with this name or email and password. */
export function authenticate(
  accounts: Administration['accounts'],
  nameOrEmail: string,
  password: Secret,
): Promise<Account | undefined> {
  const credentials = { nameOrEmail, password, network: '' };
  return accounts.authenticate(credentials, async (account) => account);
}

export const grace = { name: 'Grace Hopper', email: 'grace@example.com' } as const;

export interface TestPerson {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly password: string;
}

/** Somebody with the password of the first person, until the end of the test. */
export async function addPerson(
  service: TestAuthorizationServer,
  { name, email }: Pick<TestPerson, 'name' | 'email'>,
  workspaces: readonly string[] = ['acme'],
): Promise<TestPerson> {
  const { password } = person;
  const id = await addCheapAccount(service.data, { name, email, password, workspaces });
  onTestFinished(async () => {
    await administer(service, ({ accounts }) => accounts.remove(name));
  });
  return { id, name, email, password };
}

export function addGrace(
  service: TestAuthorizationServer,
  workspaces: readonly string[],
): Promise<TestPerson> {
  return addPerson(service, grace, workspaces);
}

/** Goes to an address, and on as long as it stays in the service. */
export async function walk(browser: FormBrowser, address: string | URL): Promise<Visit> {
  const { origin } = new URL(address);
  let visit = await browser.get(address);
  for (let step = 0; visit.next?.origin === origin && step < 8; step += 1) {
    visit = await browser.get(visit.next);
  }
  return visit;
}

/** Sends the first form of a page with its hidden fields and these. */
export function send(
  browser: FormBrowser,
  { url }: Pick<TestAuthorizationServer, 'url'>,
  page: Visit,
  fields: Readonly<Record<string, string>>,
): Promise<Visit> {
  const form = formOf(page);
  return browser.post(new URL(form.action, url), { ...form.fields, ...fields });
}

export interface Begun {
  readonly browser: FormBrowser;
  readonly page: Visit;
  readonly state: string;
  readonly verifier: string;
}

/** A sign-in as far as the page that asks for the password. */
export async function atSignIn(
  service: TestAuthorizationServer,
  application: TestApplication,
  parameters: Readonly<Record<string, string>> = {},
  browser: FormBrowser = openFormBrowser(),
): Promise<Begun> {
  const { url, state, verifier } = authorizationUrl(service, application, parameters);
  return { browser, state, verifier, page: await walk(browser, url) };
}

/** As far as the page that asks for consent, signed in as the one of that name. */
export async function atConsent(
  service: TestAuthorizationServer,
  application: TestApplication,
  parameters: Readonly<Record<string, string>> = {},
  name: string = person.name,
): Promise<Begun> {
  const begun = await atSignIn(service, application, parameters);
  const { browser } = begun;
  const onward = await send(browser, service, begun.page, { name, password: person.password });
  if (onward.next === undefined) throw new Error(`not signed in: ${onward.text}`);
  return { ...begun, page: await walk(browser, onward.next) };
}

/** The words that a person reads, without those that only machines do. */
export function wordsOf({ text }: Visit): string {
  return text
    .replace(/^[\s\S]*<main[^>]*>/, '')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll('&#39;', "'")
    .replaceAll(/\s+/g, ' ')
    .trim();
}

// Browsers that are signed in to the settings, and the forms of these pages.

import { expect } from 'vitest';
import { person, type TestAuthorizationServer } from '../fixtures/authorization-server.ts';
import { formOf, openFormBrowser, type Visit } from '../fixtures/form-browser.ts';
import { send } from './page-visits.ts';

/** A browser that is signed in to the settings. */
export async function signedIn(
  service: Pick<TestAuthorizationServer, 'url'>,
  name: string = person.name,
) {
  const browser = openFormBrowser();
  const page = await browser.get(`${service.url}/settings/sign-in`);
  const answer = await send(browser, service, page, { name, password: person.password });
  expect([answer.status, answer.next?.pathname]).toEqual([303, '/settings/applications']);
  return { browser, cookies: [...page.headers.getSetCookie(), ...answer.headers.getSetCookie()] };
}

/** The page of connected applications, and a way to press the button with a text in its form. */
export async function openConnections(
  service: Pick<TestAuthorizationServer, 'url'>,
  name?: string,
) {
  const { browser } = await signedIn(service, name);
  const at = `${service.url}/settings/connections`;
  const page = await browser.get(at);
  return { browser, page, press: (inside: string) => browser.post(at, fieldsOf(page, inside)) };
}

/** The hidden fields of the form that has this text in it. */
export function fieldsOf(page: Visit, inside: string): Readonly<Record<string, string>> {
  const forms = page.text.split('<form').slice(1);
  const text = forms.find((form) => form.includes(inside)) ?? '';
  return formOf({ ...page, text: `<form${text.split('</form>')[0]}` }).fields;
}

// Cookies, current session, sent forms and CSRF tokens of the settings pages.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { FoveaError } from '../errors.ts';
import { limits } from '../limits.ts';
import type { Log } from '../log.ts';
import { Secret } from '../secret.ts';
import { type BrowserSessions, browserCookieName } from './browser-sessions.ts';
import type { FormBinding } from './csrf-tokens.ts';
import { type Form, readForm } from './form-body.ts';
import { seeOther } from './page-response.ts';
import { settingsPaths, settingsSignIn } from './paths.ts';
import type { SignInEvents } from './sign-in-events.ts';
import type { Account } from './store/account-store.ts';
import type { UserServices } from './user-services.ts';

export interface SettingsDependencies {
  readonly users: UserServices;
  readonly browsers: BrowserSessions;
  readonly events: SignInEvents;
  /** Known once the service listens. */
  issuer(): string;
  readonly log: Log;
  /** Path of the platform's page at the same address; undefined: it has none. */
  readonly platformPage: string | undefined;
}

export interface CurrentSession {
  /** The cookie to which forms are bound. */
  readonly secret: Secret;
  readonly account: Account;
  /** `page`: there is no session of these pages, but the browser is signed in to the page. */
  readonly of: 'settings' | 'page';
}

/** A browser that is signed in to the platform's page needs no password here: it may do more. */
export async function currentSession(
  dependencies: SettingsDependencies,
  request: IncomingMessage,
): Promise<CurrentSession | undefined> {
  const secret = readCookie(request, cookieName(dependencies, 'session'));
  const account = secret && (await dependencies.users.settingsSessions.account(secret));
  if (account) return { secret, account, of: 'settings' };
  const browser = browserCookie(dependencies, request);
  const onPage = browser && (await dependencies.browsers.accountOnPage(browser));
  return onPage && { secret: browser, account: onPage, of: 'page' };
}

/** The cookie of the sign-ins of this browser. */
export function browserCookie(
  { issuer }: Pick<SettingsDependencies, 'issuer'>,
  request: IncomingMessage,
): Secret | undefined {
  return readCookie(request, browserCookieName(issuer()));
}

export interface SignedInForm {
  readonly form: Form;
  readonly session: CurrentSession;
  /** Throws `forbidden` unless the form has an unused CSRF token for this action. */
  useToken(action: string): Promise<void>;
}

/**
 * Gives `handle` the form of a signed-in person; anybody else is sent to sign in. Throws as
 * `readForm` does.
 */
export async function withSignedInForm(
  dependencies: SettingsDependencies,
  request: IncomingMessage,
  response: ServerResponse,
  handle: (sent: SignedInForm) => Promise<void>,
): Promise<void> {
  const form = await readForm(request);
  const session = await currentSession(dependencies, request);
  if (session === undefined) {
    const [page = ''] = (request.url ?? '').split('?');
    return seeOther(response, settingsSignIn(page));
  }
  const use = (action: string) => useToken(dependencies, form, action, session.secret);
  await handle({ form, session, useToken: use });
}

/** Throws `forbidden` unless the form has an unused CSRF token for this action and cookie. */
export async function useToken(
  { users }: SettingsDependencies,
  form: Form,
  action: string,
  owner: Secret,
): Promise<void> {
  const isRight = await users.formTokens.use(form.text('form_token'), bindingOf(action, owner));
  if (!isRight) throw wrongForm();
}

/** Makes CSRF tokens for actions with this cookie. */
export async function tokenMaker(
  { users }: SettingsDependencies,
  owner: Secret,
): Promise<(action: string) => string> {
  const make = await users.formTokens.maker();
  return (action) => make(bindingOf(action, owner), limits.settingsFormMs);
}

function bindingOf(action: string, owner: Secret): FormBinding {
  return ['settings', action, owner.hash()];
}

export function wrongForm(): FoveaError {
  return new FoveaError('forbidden', 'This form was sent before, is too old, or is not ours.', {
    hint: 'Nothing was changed. Open the page again.',
  });
}

/** Cookies ignore ports, so services on one host need different cookie names. */
export function cookieName(
  { issuer }: Pick<SettingsDependencies, 'issuer'>,
  kind: 'session' | 'form',
): string {
  const { port, protocol } = new URL(issuer());
  return `fovea_settings_${kind}_${port || (protocol === 'https:' ? '443' : '80')}`;
}

export function cookieOf(
  { issuer }: Pick<SettingsDependencies, 'issuer'>,
  name: string,
  value: Secret,
  lifetimeMs: number,
): string {
  const secure = issuer().startsWith('https:') ? '; Secure' : '';
  const seconds = Math.floor(lifetimeMs / 1_000);
  return `${name}=${value.reveal()}; Path=${settingsPaths.home}; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`;
}

/** Takes the cookie of the session out of the browser. */
export function endedCookie(dependencies: Pick<SettingsDependencies, 'issuer'>): string {
  return cookieOf(dependencies, cookieName(dependencies, 'session'), new Secret(''), 0);
}

export function readCookie(request: IncomingMessage, name: string): Secret | undefined {
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const [key, value = ''] = pair.trim().split('=', 2);
    if (key === name && /^[\w-]{43}$/.test(value)) return new Secret(value);
  }
  return undefined;
}

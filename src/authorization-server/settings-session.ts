// Who is signed in to the settings pages, and the cookies and forms that are theirs.

import type { IncomingMessage } from 'node:http';
import { FoveaError } from '../errors.ts';
import { limits } from '../limits.ts';
import type { Log } from '../log.ts';
import { Secret } from '../secret.ts';
import type { FormBinding } from './csrf.ts';
import type { Form } from './page-form.ts';
import { settingsPaths } from './paths.ts';
import type { People } from './people.ts';
import type { Account } from './store/people-store.ts';

export interface SettingsParts {
  readonly people: People;
  /** The address of this service, known once it listens. */
  issuer(): string;
  readonly log: Log;
}

export interface CurrentSession {
  readonly secret: Secret;
  readonly account: Account;
}

export function currentSession(
  parts: SettingsParts,
  request: IncomingMessage,
): CurrentSession | undefined {
  const secret = readCookie(request, cookieName(parts, 'session'));
  const account = secret && parts.people.pageSessions.account(secret);
  return secret && account && { secret, account };
}

/** Throws `forbidden` unless our own page for exactly this sent the form, for the first time. */
export function useToken(
  { people }: SettingsParts,
  form: Form,
  action: string,
  owner: Secret,
): void {
  if (!people.formTokens.use(form.text('form_token'), bindingOf(action, owner))) throw wrongForm();
}

/** A token for a form of that kind, for whoever has this cookie. */
export function makeToken({ people }: SettingsParts, action: string, owner: Secret): string {
  return people.formTokens.make(bindingOf(action, owner), limits.settingsFormMs);
}

function bindingOf(action: string, owner: Secret): FormBinding {
  return ['settings', action, owner.hash()];
}

export function wrongForm(): FoveaError {
  return new FoveaError('forbidden', 'This form was sent before, is too old, or is not ours.', {
    hint: 'Nothing was changed. Open the page again.',
  });
}

/** Browsers share the cookies of all ports of a host, so each service has names of its own. */
export function cookieName({ issuer }: SettingsParts, kind: 'session' | 'form'): string {
  const { port, protocol } = new URL(issuer());
  return `fovea_settings_${kind}_${port || (protocol === 'https:' ? '443' : '80')}`;
}

export function cookieOf(
  { issuer }: SettingsParts,
  name: string,
  value: Secret,
  lifetimeMs: number,
): string {
  const secure = issuer().startsWith('https:') ? '; Secure' : '';
  const seconds = Math.floor(lifetimeMs / 1_000);
  return `${name}=${value.reveal()}; Path=${settingsPaths.home}; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`;
}

export function readCookie(request: IncomingMessage, name: string): Secret | undefined {
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const [key, value = ''] = pair.trim().split('=', 2);
    if (key === name && /^[\w-]{43}$/.test(value)) return new Secret(value);
  }
  return undefined;
}

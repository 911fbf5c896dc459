// Checks name and password of a form, with pauses after wrong passwords.

import { customerNetwork } from '../network/client-address.ts';
import { Secret } from '../secret.ts';
import type { Form } from './form-body.ts';
import type { Account } from './store/account-store.ts';
import type { UserServices } from './user-services.ts';

/** Unknown names and wrong passwords give the same answer. */
export type CredentialCheck = { readonly account: Account } | RefusedCredentials;

/** For showing the form again. */
export interface RefusedCredentials {
  readonly problem: string;
  readonly status: 400 | 429;
  /** During a pause: its length (RFC 9110 section 10.2.3). */
  readonly headers?: { readonly 'retry-after': string };
}

/**
 * `useToken` throws unless the form has a valid CSRF token. Attempts are counted before it, so that
 * used tokens are not stored faster than passwords may be tried.
 */
export async function checkCredentials(
  { accounts, attempts }: Pick<UserServices, 'accounts' | 'attempts'>,
  form: Form,
  address: string,
  useToken: () => void,
): Promise<CredentialCheck> {
  const name = form.text('name');
  const key = accounts.throttleKey(name);
  const { waitSeconds } = attempts.begin(key, address);
  if (waitSeconds > 0) {
    const problem = `There were too many wrong passwords. Try again in ${waitSeconds} seconds.`;
    return { problem, status: 429, headers: { 'retry-after': String(waitSeconds) } };
  }
  useToken();
  const account = await accounts.authenticate(
    name,
    new Secret(form.text('password')),
    customerNetwork(address),
  );
  if (account === undefined) return { problem: 'Name or password is wrong.', status: 400 };
  attempts.succeeded(key, address);
  return { account };
}

// Checks name and password of a form, with pauses after wrong passwords.

import { customerNetwork } from '../network/client-address.ts';
import { Secret } from '../secret.ts';
import type { Form } from './form-body.ts';
import type { Account } from './store/account-store.ts';
import type { UserServices } from './user-services.ts';

/** Unknown names and wrong passwords give the same answer. */
export type CredentialCheck<Begun> = { readonly begun: Begun } | RefusedCredentials;

/** For showing the form again. */
export interface RefusedCredentials {
  readonly problem: string;
  readonly status: 400 | 429;
  /** During a pause: its length (RFC 9110 section 10.2.3). */
  readonly headers?: { readonly 'retry-after': string };
}

export interface SubmittedCredentials<Begun> {
  readonly form: Form;
  readonly address: string;
  /**
   * Throws unless the form has a valid CSRF token. Attempts are counted before it, so that used
   * tokens are not stored faster than passwords may be tried.
   */
  useToken(): Promise<void>;
  /** What begins with the right password: as in `Accounts.authenticate`. */
  begin(account: Account): Promise<Begun>;
}

export async function checkCredentials<Begun>(
  { accounts, attempts }: Pick<UserServices, 'accounts' | 'attempts'>,
  { form, address, useToken, begin }: SubmittedCredentials<Begun>,
): Promise<CredentialCheck<Begun>> {
  const nameOrEmail = form.text('name');
  const key = await accounts.throttleKey(nameOrEmail);
  const { waitSeconds } = await attempts.begin(key, address);
  if (waitSeconds > 0) {
    const problem = `There were too many wrong passwords. Try again in ${waitSeconds} seconds.`;
    return { problem, status: 429, headers: { 'retry-after': String(waitSeconds) } };
  }
  await useToken();
  const password = new Secret(form.text('password'));
  const network = customerNetwork(address);
  const found = await accounts.authenticate(
    { nameOrEmail, password, network },
    async (account) => ({
      begun: await begin(account),
    }),
  );
  if (found === undefined) return { problem: 'Name or password is wrong.', status: 400 };
  await attempts.succeeded(key, address);
  return found;
}

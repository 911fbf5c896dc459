// Name and password of a form, held against the accounts, with pauses after wrong ones.

import { customerNetwork } from '../network/client-address.ts';
import { Secret } from '../secret.ts';
import type { Form } from './page-form.ts';
import type { People } from './people.ts';
import type { Account } from './store/people-store.ts';

/** Who it is, or what the page is to say: the same words for unknown names and wrong passwords. */
export type PasswordCheck = { readonly account: Account } | RefusedPassword;

/** What the same page answers with, once more. */
export interface RefusedPassword {
  readonly problem: string;
  readonly status: 400 | 429;
  /** With a pause: how long it is (RFC 9110 section 10.2.3). */
  readonly headers?: { readonly 'retry-after': string };
}

/**
 * `useToken` throws unless the form is ours. Attempts are counted first, so that nobody has tokens
 * written down faster than passwords may be tried.
 */
export async function checkPassword(
  { accounts, attempts }: Pick<People, 'accounts' | 'attempts'>,
  form: Form,
  address: string,
  useToken: () => void,
): Promise<PasswordCheck> {
  const name = form.text('name');
  const key = accounts.attemptKey(name);
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

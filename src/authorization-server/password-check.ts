// Name and password of a form, held against the accounts, with pauses after wrong ones.

import type { IncomingMessage } from 'node:http';
import { isLoopbackHost } from '../boundary/loopback.ts';
import { Secret } from '../secret.ts';
import type { Account } from './accounts.ts';
import type { Form } from './page-form.ts';
import type { People } from './people.ts';

/**
 * Where a request comes from. Fovea speaks no TLS: under an https address there is a proxy on this
 * machine, and the last address that it adds is true (RFC 7239 section 5.2, in its older spelling).
 * This alone is read of `X-Forwarded-*`, from the headers as they came: issuer-name.ts.
 */
export function addressOf(request: IncomingMessage, issuer: string): string {
  const socket = request.socket.remoteAddress ?? '';
  const isProxied = issuer.startsWith('https:') && isLoopbackHost(socket.replace(/^::ffff:/, ''));
  const forwarded = request.headersDistinct['x-forwarded-for']?.at(-1)?.split(',').at(-1)?.trim();
  return isProxied && forwarded ? forwarded : socket;
}

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
  const account = await accounts.authenticate(name, new Secret(form.text('password')));
  if (account === undefined) return { problem: 'Name or password is wrong.', status: 400 };
  attempts.succeeded(key, address);
  return { account };
}

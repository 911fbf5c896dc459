// CSRF tokens: only our own page can send a form, once, and only for what the page showed.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { Secret } from '../secret.ts';
import type { AccountStore } from './store/account-store.ts';

/** What a token is bound to: the kind of form, then its owner and action, in a fixed order. */
export type FormBinding = readonly string[];

export interface FormTokens {
  /** A token for a new form; nothing is stored. */
  make(binding: FormBinding, lifetimeMs: number): string;
  /** Consumes a token. False when it is of another form, expired, used before, or not ours. */
  use(token: string, binding: FormBinding): boolean;
}

export function createFormTokens(
  store: Pick<AccountStore, 'formKey' | 'useFormToken'>,
  now: () => number,
): FormTokens {
  let key: string | undefined;
  const sign = (head: string, binding: FormBinding): Buffer => {
    key ??= store.formKey();
    // JSON, so that no two bindings have the same text.
    return createHmac('sha256', key)
      .update(JSON.stringify([head, ...binding]))
      .digest();
  };
  return {
    make: (binding, lifetimeMs) => {
      const head = `${randomBytes(16).toString('base64url')}.${now() + lifetimeMs}`;
      return `${head}.${sign(head, binding).toString('base64url')}`;
    },
    use: (token, binding) => {
      const [, head = '', expires = '', mark = ''] =
        /^([\w-]{22}\.(\d{1,15}))\.([\w-]{43})$/.exec(token) ?? [];
      const found = Buffer.from(mark, 'base64url');
      const expected = sign(head, binding);
      if (found.length !== expected.length || !timingSafeEqual(found, expected)) return false;
      const ends = Number(expires);
      // Only the head is hashed: the last base64url character of the signature is ambiguous.
      return ends > now() && store.useFormToken(new Secret(head).hash(), ends, now());
    },
  };
}

// CSRF tokens: only our own page can send a form, once, and only for what the page showed.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { Secret } from '../secret.ts';
import type { AccountStore } from './store/account-store.ts';

/** What a token is bound to: the kind of form, then its owner and action, in a fixed order. */
export type FormBinding = readonly string[];

/** Makes a token for a new form. */
export type MakeFormToken = (binding: FormBinding, lifetimeMs: number) => string;

export interface FormTokens {
  /** Nothing is stored for a token before it is used. */
  maker(): Promise<MakeFormToken>;
  /** Consumes a token. False when it is of another form, expired, used before, or not ours. */
  use(token: string, binding: FormBinding): Promise<boolean>;
}

export function createFormTokens(
  store: Pick<AccountStore, 'formKey' | 'useFormToken'>,
  now: () => number,
): FormTokens {
  let key: string | undefined;
  const signer = async () => {
    const known = key ?? (await store.formKey());
    key = known;
    return (head: string, binding: FormBinding): Buffer =>
      // JSON, so that no two bindings have the same text.
      createHmac('sha256', known)
        .update(JSON.stringify([head, ...binding]))
        .digest();
  };
  return {
    maker: async () => {
      const sign = await signer();
      return (binding, lifetimeMs) => {
        const head = `${randomBytes(16).toString('base64url')}.${now() + lifetimeMs}`;
        return `${head}.${sign(head, binding).toString('base64url')}`;
      };
    },
    use: async (token, binding) => {
      const [, head = '', expires = '', mark = ''] =
        /^([\w-]{22}\.(\d{1,15}))\.([\w-]{43})$/.exec(token) ?? [];
      const found = Buffer.from(mark, 'base64url');
      const sign = await signer();
      const expected = sign(head, binding);
      if (found.length !== expected.length || !timingSafeEqual(found, expected)) return false;
      // Only the head is hashed: the last base64url character of the signature is ambiguous.
      return store.useFormToken(new Secret(head).hash(), Number(expires), now);
    },
  };
}

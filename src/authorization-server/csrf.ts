// Tokens in forms: only our own page can send a form, once, and only for what the page showed.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { Secret } from '../secret.ts';
import type { PeopleStore } from './store/people-store.ts';

/**
 * What a form is for. A token is good for exactly the same words in the same order: the kind of
 * form first, then whose it is and what it does.
 */
export type FormBinding = readonly string[];

export interface FormTokens {
  /** A token for a form that is about to be shown; nothing is stored. */
  make(binding: FormBinding, lifetimeMs: number): string;
  /** Uses a token up. False when it is of another form, too old, used, or nothing of ours. */
  use(token: string, binding: FormBinding): boolean;
}

export function createFormTokens(
  store: Pick<PeopleStore, 'formKey' | 'useFormToken'>,
  now: () => number,
): FormTokens {
  let key: string | undefined;
  const sign = (head: string, binding: FormBinding): Buffer => {
    key ??= store.formKey();
    // As JSON, no two bindings have the same text.
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
      // The head alone: the last character of the rest has several spellings.
      return ends > now() && store.useFormToken(new Secret(head).hash(), ends, now());
    },
  };
}

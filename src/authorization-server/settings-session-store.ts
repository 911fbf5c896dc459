// Sessions of the settings pages: a random cookie, of which only the hash is stored.

import { randomBytes } from 'node:crypto';
import { limits } from '../limits.ts';
import { Secret } from '../secret.ts';
import type { Account, AccountStore } from './store/account-store.ts';

export interface SettingsSessions {
  /** Starts a session; the secret goes into the cookie. */
  begin(accountId: string): Promise<Secret>;
  /** The account of a session; undefined when it ended or the account was removed. */
  account(session: Secret): Promise<Account | undefined>;
  end(session: Secret): Promise<void>;
}

export function createSettingsSessions(
  store: Pick<AccountStore, 'addSession' | 'sessionAccount' | 'removeSession'>,
  now: () => number,
): SettingsSessions {
  return {
    begin: async (accountId) => {
      const session = new Secret(randomBytes(32).toString('base64url'));
      const expires = now() + limits.settingsSessionMs;
      await store.addSession(session.hash(), accountId, expires, now());
      return session;
    },
    account: (session) => store.sessionAccount(session.hash(), now()),
    end: (session) => store.removeSession(session.hash()),
  };
}

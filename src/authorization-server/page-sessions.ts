// Who is signed in to the settings pages: a random cookie, of which only the hash is kept.

import { randomBytes } from 'node:crypto';
import { limits } from '../limits.ts';
import { Secret } from '../secret.ts';
import type { Account, PeopleStore } from './store/people-store.ts';

export interface PageSessions {
  /** A new session; the secret goes into the cookie. */
  begin(accountId: string): Secret;
  /** Whose session it is; undefined when it ended, or the account is gone. */
  account(session: Secret): Account | undefined;
  end(session: Secret): void;
}

export function createPageSessions(
  store: Pick<PeopleStore, 'addSession' | 'sessionAccount' | 'removeSession'>,
  now: () => number,
): PageSessions {
  return {
    begin: (accountId) => {
      const session = new Secret(randomBytes(32).toString('base64url'));
      const expires = now() + limits.settingsSessionMs;
      store.addSession(session.hash(), accountId, expires, now());
      return session;
    },
    account: (session) => store.sessionAccount(session.hash(), now()),
    end: (session) => store.removeSession(session.hash()),
  };
}

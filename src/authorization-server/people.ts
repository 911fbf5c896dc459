// All that the authorization server knows of people and their applications.

import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import type { Database } from '../storage/database.ts';
import { type Accounts, createAccounts } from './accounts.ts';
import { type Applications, createApplications } from './applications.ts';
import { createFormTokens, type FormTokens } from './csrf.ts';
import { createPageSessions, type PageSessions } from './page-sessions.ts';
import { createSignInAttempts, type SignInAttempts } from './sign-in-attempts.ts';
import type { Account } from './store/people-store.ts';
import { createPeopleStore } from './store/people-store.ts';

export interface People {
  readonly accounts: Accounts;
  readonly applications: Applications;
  /** Slugs, one at least. */
  workspacesOf(account: Account): readonly string[];
  readonly attempts: SignInAttempts;
  readonly formTokens: FormTokens;
  readonly pageSessions: PageSessions;
}

/**
 * Over an open `sign-in.db`, whose migrations include `peopleTables`. `workspace` is that of
 * accounts that name none.
 */
export function createPeople(
  database: Database,
  workspace: string,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): People {
  const store = createPeopleStore(database);
  const now = () => clock.now();
  return {
    accounts: createAccounts(store, now),
    applications: createApplications(store, now),
    workspacesOf: ({ workspaces }) => (workspaces.length > 0 ? workspaces : [workspace]),
    attempts: createSignInAttempts(clock, log),
    formTokens: createFormTokens(store, now),
    pageSessions: createPageSessions(store, now),
  };
}

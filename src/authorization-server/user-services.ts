// Accounts, applications, and what the pages need to sign users in.

import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import type { AsyncDatabase } from '../storage/async-database.ts';
import { type Accounts, createAccounts } from './accounts.ts';
import { type Applications, createApplications } from './applications.ts';
import { createFormTokens, type FormTokens } from './csrf-tokens.ts';
import { createSettingsSessions, type SettingsSessions } from './settings-session-store.ts';
import { createSignInThrottle, type SignInThrottle } from './sign-in-throttle.ts';
import { type Account, createAccountStore } from './store/account-store.ts';

export interface UserServices {
  readonly accounts: Accounts;
  readonly applications: Applications;
  /** Slugs, at least one. */
  workspacesOf(account: Account): readonly string[];
  /** Those who may sign in to a workspace, and those who could before they were removed. */
  people(workspace: string): Promise<readonly NamedPerson[]>;
  readonly attempts: SignInThrottle;
  readonly formTokens: FormTokens;
  readonly settingsSessions: SettingsSessions;
}

export interface NamedPerson {
  readonly id: string;
  readonly name: string;
  /** Undefined of those who were removed: nobody is asked at it. */
  readonly email?: string | undefined;
}

/**
 * Over an open `sign-in.db`, with all its migrations. `workspace` is the one of accounts without
 * any.
 */
export function createUserServices(
  database: AsyncDatabase,
  workspace: string,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): UserServices {
  const store = createAccountStore(database);
  const now = () => clock.now();
  const workspacesOf = ({ workspaces }: Pick<Account, 'workspaces'>) =>
    workspaces.length > 0 ? workspaces : [workspace];
  return {
    accounts: createAccounts(store, now),
    applications: createApplications(store, now),
    workspacesOf,
    people: async (slug) => {
      const [accounts, gone] = await Promise.all([store.accounts(), store.removedAccounts()]);
      const removed = gone.map((one) => ({
        ...one,
        name: `${one.name} (removed)`,
        email: undefined,
      }));
      return [...accounts, ...removed]
        .filter((account) => workspacesOf(account).includes(slug))
        .map(({ id, name, email }) => ({ id, name, email }));
    },
    attempts: createSignInThrottle(database, { clock, log }),
    formTokens: createFormTokens(store, now),
    settingsSessions: createSettingsSessions(store, now),
  };
}

// Accounts and applications for the command line, beside a service that may be running.

import type { Clock } from '../clock.ts';
import type { Secret } from '../secret.ts';
import { type Accounts, createAccounts } from './accounts.ts';
import { type Applications, createApplications } from './applications.ts';
import { openSignInDatabase } from './sign-in-database.ts';
import { createAccountStore } from './store/account-store.ts';

export interface Administration {
  readonly accounts: Accounts;
  readonly applications: Applications;
  close(): Promise<void>;
}

/**
 * Opens or creates the sign-in database of a platform, as `openSignInDatabase` does. A service that
 * runs on the same one sees every change at once.
 */
export async function openAdministration(
  data: string,
  clock: Clock,
  databaseUrl?: Secret,
): Promise<Administration> {
  const database = await openSignInDatabase(data, databaseUrl);
  const store = createAccountStore(database);
  const now = () => clock.now();
  return {
    accounts: createAccounts(store, now),
    applications: createApplications(store, now),
    close: async () => database.close(),
  };
}

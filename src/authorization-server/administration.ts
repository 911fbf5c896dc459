// Accounts and applications for the command line, beside a service that may be running.

import { join } from 'node:path';
import type { Clock } from '../clock.ts';
import { openAsyncDatabase } from '../storage/async-database.ts';
import { type Accounts, createAccounts } from './accounts.ts';
import { type Applications, createApplications } from './applications.ts';
import { createAccountStore } from './store/account-store.ts';
import { signInFile, signInMigrations } from './store/schema.ts';

export interface Administration {
  readonly accounts: Accounts;
  readonly applications: Applications;
  close(): void;
}

/**
 * Opens or creates the sign-in database in the data folder of a platform. A service that runs on
 * the same folder sees every change at once.
 */
export function openAdministration(data: string, clock: Clock): Administration {
  const database = openAsyncDatabase(join(data, signInFile), signInMigrations);
  const store = createAccountStore(database);
  const now = () => clock.now();
  return {
    accounts: createAccounts(store, now),
    applications: createApplications(store, now),
    close: () => database.close(),
  };
}

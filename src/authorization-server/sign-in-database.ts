// Opens the database of accounts, applications and sign-ins, for the service and for the commands.

import { join } from 'node:path';
import { databaseSchemas } from '../database-url.ts';
import type { Secret } from '../secret.ts';
import { type AsyncDatabase, openAsyncDatabase } from '../storage/async-database.ts';
import { signInFile, signInMigrations } from './store/schema.ts';

/** The one who opened it closes it. */
export interface SignInDatabase extends AsyncDatabase {
  close(): void | Promise<void>;
}

/**
 * The file in the data folder of a platform, or with a URL the schema of that PostgreSQL database.
 * All who open the same one see each other's changes at once. Throws `unavailable` where the server
 * cannot be reached.
 */
export async function openSignInDatabase(
  data: string,
  databaseUrl: Secret | undefined,
): Promise<SignInDatabase> {
  if (databaseUrl === undefined) {
    return openAsyncDatabase(join(data, signInFile), signInMigrations);
  }
  const { openPostgresDatabase } = await import('../storage/postgres/postgres-database.ts');
  return openPostgresDatabase(databaseUrl, databaseSchemas.signIn, signInMigrations);
}

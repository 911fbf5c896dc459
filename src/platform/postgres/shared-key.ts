// The key of signed links where several processes share a database: it is kept there. It also tells
// whether they share their files.

import { FoveaError } from '../../errors.ts';
import type { AsyncDatabase } from '../../storage/async-database.ts';
import { refuseExistingFiles } from '../existing-files-check.ts';
import {
  makeKeyFile,
  newKey,
  readKeyFile,
  type SigningKey,
  signingKeyOf,
} from '../signed-links/signing-key.ts';

/**
 * `folder`: the data folder, where that has the files of datasets; undefined: an object store has
 * them. Throws `conflict` for a folder that is not the one of this database, of which a new
 * database has none: what other processes store would not be found, and would be removed.
 */
export async function openSharedKey(
  database: AsyncDatabase,
  folder: string | undefined,
): Promise<SigningKey> {
  if (folder === undefined) return signingKeyOf(await keepKey(database, newKey()));
  // The file of another process that starts at this moment is there before its row.
  const kept = await readKey(database);
  const own = await readKeyFile(folder);
  if (own === undefined && kept !== undefined) throw notShared();
  if (kept === undefined) await refuseExistingFiles(folder, 'The database is empty');
  const key = own ?? (await makeKeyFile(folder));
  if (!key.equals(await keepKey(database, key))) throw notShared();
  return signingKeyOf(key);
}

/** The one that is kept: that of the first process. */
async function keepKey(database: AsyncDatabase, key: Buffer): Promise<Buffer> {
  await database.run('INSERT INTO link_key (only_one, key) VALUES (1, ?) ON CONFLICT DO NOTHING', [
    key,
  ]);
  return (await readKey(database)) ?? key;
}

async function readKey(database: AsyncDatabase): Promise<Buffer | undefined> {
  return database.get('SELECT key FROM link_key', [], (row) => Buffer.from(row.bytes('key')));
}

function notShared(): FoveaError {
  const message = 'The files of the datasets in FOVEA_DATABASE_URL are in another data folder.';
  return new FoveaError('conflict', message, {
    hint:
      'Give all processes the same data folder on a shared disk (--data, FOVEA_HOME), or set ' +
      'FOVEA_OBJECTS_URL for all of them. A folder that moves takes its file link-key along.',
  });
}

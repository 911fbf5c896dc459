// Files that are there before the rows are: other rows refer to them.

import { FoveaError } from '../errors.ts';
import { hasBlobs } from '../storage/blob-store.ts';
import { blobFolder } from '../storage/open-blobs.ts';

/**
 * For rows that are to be made anew. Throws `conflict` where the data folder has files: a sweep
 * would remove those to which new rows do not refer. `missing`: a sentence without its full stop.
 */
export async function refuseExistingFiles(data: string, missing: string): Promise<void> {
  if (!(await hasBlobs(blobFolder(data)))) return;
  throw new FoveaError('conflict', `${missing}, but "${data}" has the files of datasets.`, {
    hint:
      'If these datasets are in a PostgreSQL database, set FOVEA_DATABASE_URL to its address. Else ' +
      'bring platform.db back, or use another folder (--data or FOVEA_HOME).',
  });
}

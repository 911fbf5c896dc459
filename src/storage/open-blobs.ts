// Opens the blob store that the settings name.

import { join } from 'node:path';
import type { Clock } from '../clock.ts';
import type { ObjectStorageSettings } from '../object-storage-settings.ts';
import { type BlobStore, openBlobFolder } from './blob-store.ts';

export interface OpenBlobsOptions {
  /** The data folder. */
  readonly data: string;
  /** Undefined: content is kept in the data folder. */
  readonly objects: ObjectStorageSettings | undefined;
  /** The same for all processes of one platform, and for no other. */
  readonly owner: string;
  readonly clock: Clock;
}

/** Loads nothing for an object store unless there is one. Throws as openS3Blobs does. */
export async function openBlobs(options: OpenBlobsOptions): Promise<BlobStore> {
  const { data, objects, owner, clock } = options;
  if (objects === undefined) return openBlobFolder(blobFolder(data), clock);
  const { openS3Blobs } = await import('./s3/open-s3-blobs.ts');
  return openS3Blobs({ place: objects, folder: join(data, 'outgoing'), owner, clock });
}

/** Where content is kept in a data folder. */
export function blobFolder(data: string): string {
  return join(data, 'blobs');
}

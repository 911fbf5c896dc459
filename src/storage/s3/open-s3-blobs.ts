// Opens the blob store of a place in an S3 store, for the one platform that it belongs to.

import { buffer } from 'node:stream/consumers';
import type { Clock } from '../../clock.ts';
import { FoveaError } from '../../errors.ts';
import type { ObjectStorageSettings } from '../../object-storage-settings.ts';
import type { BlobStore } from '../blob-store.ts';
import { type Bucket, openBucket } from './bucket.ts';
import { createS3Blobs } from './s3-blob-store.ts';

export interface OpenS3BlobsOptions {
  readonly place: ObjectStorageSettings;
  /** Of this process, for content on its way. */
  readonly folder: string;
  /** The same for all processes of one platform, and for no other platform. */
  readonly owner: string;
  readonly clock: Clock;
}

/**
 * Throws `internal` where the bucket is not there or may not be used, `unavailable` where the store
 * cannot be reached, and `conflict` where the place has the files of another platform: a sweep
 * would remove these.
 */
export async function openS3Blobs(options: OpenS3BlobsOptions): Promise<BlobStore> {
  const { place, folder, owner, clock } = options;
  const bucket = openBucket(place);
  await claim(bucket, place, owner);
  return createS3Blobs({ bucket, folder, clock, givesLinks: place.downloads === 'redirect' });
}

const markerKey = '.fovea';

async function claim(
  bucket: Bucket,
  { prefix }: ObjectStorageSettings,
  owner: string,
): Promise<void> {
  let found = await readText(bucket, markerKey);
  if (found === undefined) {
    await bucket.put(markerKey, Buffer.from(owner));
    // Another platform may have come at the same moment: the last one to write has it.
    found = await readText(bucket, markerKey);
  }
  if (found === owner) return;
  if (!/^[\w-]{1,128}$/.test(found ?? '')) throw noMarker(prefix);
  const message = 'FOVEA_OBJECTS_URL leads to the files of another platform.';
  throw new FoveaError('conflict', message, {
    hint:
      'Give each platform a prefix of its own. If this is the same one with a new link-key, ' +
      `remove the object "${prefix}${markerKey}".`,
  });
}

function noMarker(prefix: string): FoveaError {
  const message = `The object "${prefix}${markerKey}" does not say whose files are there.`;
  return new FoveaError('conflict', message, {
    hint: 'Check the store and the address in FOVEA_OBJECTS_URL; restore that object if it is damaged.',
  });
}

async function readText(bucket: Bucket, key: string): Promise<string | undefined> {
  const content = await bucket.get(key);
  return content && (await buffer(content)).toString();
}

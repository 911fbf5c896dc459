// Tries what the platform needs of a bucket, for the doctor.

import { randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { Clock } from '../../clock.ts';
import { FoveaError } from '../../errors.ts';
import type { ObjectStorageSettings } from '../../object-storage-settings.ts';
import { openBucket } from './bucket.ts';

/**
 * Puts, lists, gets and removes an object; says how many milliseconds a request took. Throws as
 * the blob store does.
 */
export async function probeBucket(place: ObjectStorageSettings, clock: Clock): Promise<number> {
  const bucket = openBucket(place, attemptsMax);
  const content = Buffer.from(randomUUID());
  const key = `.fovea-probe-${content}`;
  const beganMs = clock.monotonic();
  await bucket.put(key, content);
  let isListed = false;
  for await (const object of bucket.list(key)) isListed ||= object.key === key;
  const found = await bucket.get(key);
  const isSame = found !== undefined && (await buffer(found)).equals(content);
  await bucket.remove(key);
  if (isListed && isSame) return Math.round((clock.monotonic() - beganMs) / requests);
  throw new FoveaError('internal', 'The object store does not give back what it was given.');
}

const requests = 4;

/** Somebody waits. */
const attemptsMax = 2;

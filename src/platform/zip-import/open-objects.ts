// The objects below a prefix of an S3 store as a source of images: listed once, read one by one.

import { FoveaError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { type ObjectsPlace, objectsUrlOf } from '../../objects-place.ts';
import type { Bucket } from '../../storage/s3/bucket.ts';
import { checkName, isNoise, shownName } from './decode-entry-name.ts';
import { boundedSource, type ImportSource, type NamedFile, sortEntries } from './import-source.ts';

/** An object, and its key below the prefix. */
interface Place {
  readonly key: string;
  readonly statedBytes: number;
}

/**
 * Throws `invalid_input` where there is none, or where there are too many: they are counted before
 * any of them is read. Throws as the bucket does.
 */
export async function openObjects(
  place: ObjectsPlace,
  signal: AbortSignal,
  objectsMax: number = limits.importedObjectsMax,
): Promise<ImportSource> {
  const { openBucket } = await import('../../storage/s3/bucket.ts');
  const bucket = openBucket(place);
  const listed = await listObjects(bucket, place, signal, objectsMax);
  const { entries, refused } = sortEntries(listed, 'prefix');
  return boundedSource({
    entries,
    refused,
    name: objectsUrlOf(place),
    bytesMax: limits.importedObjectsBytesMax,
    textBytesMax: limits.importedTextBytesMax,
    give: async ({ key }, take) => {
      const content = await bucket.get(key).catch((thrown: unknown) => {
        throw asFault(thrown);
      });
      if (content === undefined) throw new FoveaError('invalid_input', 'is not there any more');
      for await (const piece of content) {
        signal.throwIfAborted();
        await take(piece);
      }
    },
  });
}

/** One that the store refuses, for example since it lies in an archive, is no reason to end. */
function asFault(thrown: unknown): unknown {
  if (!(thrown instanceof FoveaError) || thrown.code !== 'internal') return thrown;
  return new FoveaError('invalid_input', `could not be read: ${thrown.message}`, { cause: thrown });
}

async function listObjects(
  bucket: Bucket,
  place: ObjectsPlace,
  signal: AbortSignal,
  objectsMax: number,
): Promise<readonly NamedFile<Place>[]> {
  const listed: NamedFile<Place>[] = [];
  for await (const { key, bytes } of bucket.list('')) {
    signal.throwIfAborted();
    // What consoles make for a folder.
    if (key === '' || key.endsWith('/') || isNoise(key)) continue;
    if (listed.length === objectsMax) throw tooMany(place, objectsMax);
    const checked = checkName(key);
    listed.push({
      path: 'path' in checked ? checked.path : undefined,
      shownPath: shownName(key),
      problem: 'problem' in checked ? checked.problem : undefined,
      entry: { key, statedBytes: bytes },
    });
  }
  if (listed.length > 0) return listed;
  throw new FoveaError('invalid_input', `There is no object below ${objectsUrlOf(place)}.`);
}

function tooMany(place: ObjectsPlace, objectsMax: number): FoveaError {
  const most = `at most ${objectsMax} are taken at a time`;
  return new FoveaError('invalid_input', `${objectsUrlOf(place)} has more objects; ${most}.`, {
    hint: 'Import the prefixes below it one by one.',
  });
}

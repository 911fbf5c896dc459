// The objects below a prefix of an S3 store as a source of images: listed once, read one by one.

import { FoveaError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import {
  hasDotParts,
  type ObjectStorageSettings,
  objectsUrlOf,
} from '../../object-storage-settings.ts';
import type { Bucket, ListedObject } from '../../storage/s3/bucket.ts';
import { checkName, shownName } from './decode-entry-name.ts';
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
  place: ObjectStorageSettings,
  signal: AbortSignal,
  objectsMax: number = limits.importedObjectsMax,
): Promise<ImportSource> {
  const { openBucket } = await import('../../storage/s3/bucket.ts');
  const below = { bucket: openBucket(place), only: '' };
  const above = placeAbove(place);
  const alone = above && { bucket: openBucket(above.place), only: above.name };
  const listing = await listObjects(below, place, signal, objectsMax);
  const isBelow = listing.length > 0 || alone === undefined;
  const { bucket } = isBelow ? below : alone;
  const listed = isBelow ? listing : await listObjects(alone, place, signal, objectsMax);
  if (listed.length === 0) {
    const what = `There is no object below ${objectsUrlOf(place)}`;
    throw new FoveaError('invalid_input', `${what}${above ? ', and none of that name' : ''}.`);
  }
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

/** Of `in/a.png/`: where an object of that name lies; undefined for a whole bucket. */
function placeAbove(place: ObjectStorageSettings) {
  const [, prefix, name] = /^(.*\/)?([^/]+)\/$/s.exec(place.prefix) ?? [];
  return name === undefined ? undefined : { place: { ...place, prefix: prefix ?? '' }, name };
}

interface Listing {
  readonly bucket: Bucket;
  /** The key of the only object that is meant; empty: all are. */
  readonly only: string;
}

async function listObjects(
  { bucket, only }: Listing,
  place: ObjectStorageSettings,
  signal: AbortSignal,
  objectsMax: number,
): Promise<readonly NamedFile<Place>[]> {
  const listed: NamedFile<Place>[] = [];
  for await (const object of bucket.list(only)) {
    signal.throwIfAborted();
    const { key } = object;
    // Sorted: the object itself comes before all whose names are longer.
    if (only !== '' && key !== only) break;
    // What consoles make for a folder.
    if (key === '' || key.endsWith('/')) continue;
    if (listed.length === objectsMax) throw tooMany(place, objectsMax);
    listed.push(namedFile(object));
    if (only !== '') break;
  }
  return listed;
}

/** Keys are no paths: one may begin with a slash. */
function namedFile({ key, bytes }: ListedObject): NamedFile<Place> {
  const entry = { key, statedBytes: bytes };
  const shownPath = shownName(key);
  if (hasDotParts(key)) {
    const problem = 'its key has a part of dots, which its address would lose';
    return { path: undefined, shownPath, problem, entry };
  }
  const checked = checkName(key.replace(/^\/+/, ''));
  return {
    path: 'path' in checked ? checked.path : undefined,
    shownPath,
    problem: 'problem' in checked ? checked.problem : undefined,
    entry,
  };
}

function tooMany(place: ObjectStorageSettings, objectsMax: number): FoveaError {
  const most = `at most ${objectsMax} are taken at a time`;
  return new FoveaError('invalid_input', `${objectsUrlOf(place)} has more objects; ${most}.`, {
    hint: 'Import the prefixes below it one by one.',
  });
}

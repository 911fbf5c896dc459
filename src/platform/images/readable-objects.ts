// Which places of an object store imports may read: none but those that the settings name.

import { FoveaError, invalidArgument } from '../../errors.ts';
import {
  type ObjectImports,
  type ObjectStorageSettings,
  objectsUrlOf,
  parseImportUrl,
} from '../../object-storage-settings.ts';

/**
 * The place of a URL. Throws `invalid_input`, naming `argument`, where it is none, and `forbidden`
 * where it may not be read.
 */
export function readablePlace(
  { allowed, own, endpoint, region }: ObjectImports,
  url: string,
  argument: string,
): ObjectStorageSettings {
  const parsed = parseImportUrl(url);
  if ('wrong' in parsed) throw invalidArgument(argument, parsed.wrong);
  const { bucket, prefix } = parsed.value;
  // Prefixes end with a slash, or are empty.
  const isAllowed = allowed.some(
    (place) => place.bucket === bucket && prefix.startsWith(place.prefix),
  );
  // It has the files of all workspaces. Some stores take several slashes for one.
  const plain = prefix.replace(/^\/+/, '').replaceAll(/\/{2,}/g, '/');
  const isOurs =
    own?.bucket === bucket && (plain.startsWith(own.prefix) || own.prefix.startsWith(plain));
  if (!isAllowed || isOurs) throw notAllowed(objectsUrlOf(parsed.value));
  return { bucket, prefix, endpoint, region, downloads: 'stream' };
}

function notAllowed(url: string): FoveaError {
  return new FoveaError('forbidden', `This platform may not read images from ${url}.`, {
    hint:
      'Whoever runs it names what imports may read in FOVEA_IMPORT_OBJECTS; its own files are ' +
      'never among them.',
  });
}

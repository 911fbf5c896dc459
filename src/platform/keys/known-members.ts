// Misspelt members: an open body would pass over `scope`, and the key could do everything.

import { apiKeys } from '../../contract/api-keys.ts';
import { invalidInput } from '../../errors.ts';
import { nearest } from '../../nearest.ts';

/**
 * Throws `invalid_input` for members that look like one of the body, and for `folderIds` where
 * they cannot change. Other unknown members pass, as everywhere on the wire.
 */
export function refuseMisspelt(
  input: object,
  operation: 'api_keys_create' | 'api_keys_update',
): void {
  const { body, pathParameters } = apiKeys[operation];
  const known = [...Object.keys(body.shape), ...Object.keys(pathParameters.shape)];
  const problems = Object.keys(input).flatMap((path) => {
    if (known.includes(path)) return [];
    if (path === 'folderIds') return [{ path, message: 'cannot be changed: make another key' }];
    const near = nearest(path, [...known, 'folderIds']);
    return near === undefined ? [] : [{ path, message: `is not known; did you mean "${near}"?` }];
  });
  if (problems.length > 0) throw invalidInput(problems);
}

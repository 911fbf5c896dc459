// Misspelt members: an open body would pass over `scope`, and the key could do everything.

import { apiKeys } from '../../contract/api-keys.ts';
import { invalidInput, type Problem } from '../../errors.ts';
import { limits } from '../../limits.ts';
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
  const problems: Problem[] = [];
  for (const path of Object.keys(input)) {
    if (problems.length >= limits.problemsShownMax) break;
    if (known.includes(path)) continue;
    const near = nearest(path, [...known, 'folderIds']);
    if (path === 'folderIds')
      problems.push({ path, message: 'cannot be changed: make another key' });
    else if (near) problems.push({ path, message: `is not known; did you mean "${near}"?` });
  }
  if (problems.length > 0) throw invalidInput(problems);
}

// Errors that say of an image that it cannot be read, and nothing of the model.

import type { ErrorCode } from '../errors.ts';

export const imageFaults: readonly ErrorCode[] = [
  'not_found',
  'invalid_input',
  'unsupported_media',
  'too_large',
];

// Errors about an image file: they name it `file`.

import { type ErrorCode, FoveaError } from '../errors.ts';

export function fileError(
  code: ErrorCode,
  message: string,
  details: { readonly cause?: unknown; readonly hint?: string } = {},
): FoveaError {
  const problems = [{ path: 'file', message }];
  return new FoveaError(code, `file: ${message}`, { ...details, problems });
}

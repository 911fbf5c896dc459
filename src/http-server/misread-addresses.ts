// Errors of requests whose address was read as that of another operation than was meant.

import type { NotServed } from '../contract/not-served.ts';
import type { Operation } from '../contract/operation.ts';
import { type ErrorCode, FoveaError } from '../errors.ts';

/** How a request ends whose address means something else here, or nothing. */
const misreadings: readonly ErrorCode[] = [
  'invalid_input',
  'forbidden',
  'not_found',
  'method_not_allowed',
  'unsupported_media',
];

/**
 * The error of a request. For what is not served it says so; for a wrong part of the address, or a
 * body of another kind, it says for which operation the address was taken.
 */
export function explainAddress(
  error: FoveaError,
  target: string,
  notServed: readonly NotServed[],
  operation: Operation | undefined,
): FoveaError {
  const { code, message, problems } = error;
  if (!misreadings.includes(code)) return error;
  const readAs = operation && `The address was read as ${addressOf(operation)}`;
  const [path = ''] = target.split('?', 1);
  const plain = path.endsWith('/') ? path.slice(0, -1) : path;
  const asked = notServed.find((one) => one.path.test(plain));
  if (asked) {
    const kept = code === 'method_not_allowed' ? code : 'not_found';
    const hint = readAs && `${readAs}: ${message}`;
    return new FoveaError(kept, `Not served here: ${asked.what}.`, { ...(hint && { hint }) });
  }
  if (readAs === undefined || !isDoubtful(error, operation)) return error;
  const hint = [error.hint, `${readAs}.`].filter(Boolean).join(' ');
  return new FoveaError(code, message, { problems, hint });
}

function addressOf({ id, method, path }: Operation): string {
  return `${method} ${path} (${id})`;
}

/** Whether another operation may have been meant. */
function isDoubtful({ code, problems }: FoveaError, operation: Operation | undefined): boolean {
  if (operation === undefined) return false;
  if (code === 'unsupported_media') return !/\/\w/.test(operation.path);
  const isOfAddress = (name: string) => Object.hasOwn(operation.pathParameters.shape, name);
  return code === 'invalid_input' && problems.some(({ path }) => isOfAddress(path));
}

// Errors of requests whose address was read as that of another operation than was meant.

import type { NotServed } from '../contract/not-served.ts';
import type { Operation } from '../contract/operation.ts';
import { FoveaError } from '../errors.ts';

/**
 * The error of a request. Where its address leads to nothing and is that of what is not served, it
 * says so; for a wrong part of the address, or a body of another kind, it says for which operation
 * the address was taken.
 */
export function explainAddress(
  error: FoveaError,
  target: string,
  notServed: readonly NotServed[],
  operation: Operation | undefined,
): FoveaError {
  const { code, message, problems } = error;
  const readAs = operation && `The address was read as ${addressOf(operation)}`;
  const [path = ''] = target.split('?', 1);
  const plain = path.endsWith('/') ? path.slice(0, -1) : path;
  const asked = notServed.find((one) => one.path.test(plain));
  if (asked && leadsNowhere(error, operation, asked)) {
    const kept = code === 'method_not_allowed' ? code : 'not_found';
    const hint = readAs && `${readAs}: ${message}`;
    return new FoveaError(kept, `Not served here: ${asked.what}.`, { ...(hint && { hint }) });
  }
  if (readAs === undefined || !isDoubtful(error, operation)) return error;
  const hint = [error.hint, `${readAs}.`].filter(Boolean).join(' ');
  return new FoveaError(code, message, { problems, hint });
}

/** Not so for what is wrong with a request of something that exists: it gets its own error. */
function leadsNowhere(
  error: FoveaError,
  operation: Operation | undefined,
  { query = [] }: NotServed,
): boolean {
  const { code, missing, problems } = error;
  if (code === 'not_found') {
    return operation === undefined || missing === 'workspace' || missing === 'project';
  }
  if (code === 'invalid_input' && problems.some(({ path }) => query.includes(path))) return true;
  return code === 'method_not_allowed' || isDoubtful(error, operation);
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

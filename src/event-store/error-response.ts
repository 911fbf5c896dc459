// Error responses of the Event Store (Event Store 15.1, 15.2).

import type { Operation } from '../contract/operation.ts';
import type { FoveaError } from '../errors.ts';
import type { ErrorAnswer } from '../http-server/responses.ts';

/**
 * `{detail: text}`. An id that no event can have is a 404 as any other unknown one. A request that
 * does not fit the contract, or lacks a JSON content type, gets a 422 whose detail lists the
 * problems. At capacity: a 529 that also has `error: 'capacity_blocked'`.
 */
export function eventStoreErrorBody(error: FoveaError, operation?: Operation): ErrorAnswer {
  const { code, status, message, hint, problems, retryAfterSeconds } = error;
  const headers = {
    ...(status === 401 && { 'www-authenticate': 'Basic realm="Event Store", charset="UTF-8"' }),
    ...(retryAfterSeconds !== undefined && {
      'retry-after': String(Math.max(1, Math.ceil(retryAfterSeconds))),
    }),
  };
  const detail = [message, hint].filter(Boolean).join(' ');
  if (code === 'full') {
    return { status, headers, body: { detail, error: 'capacity_blocked' } };
  }
  const isUnread = code === 'unsupported_media' && operation?.bodyType === 'json';
  const isUnfit = code === 'invalid_input' && operation !== undefined;
  if (!isUnfit && !isUnread) return { status, headers, body: { detail } };
  if (problems.length > 0 && problems.every(({ path }) => isOfAddress(path, operation))) {
    return { status: 404, headers, body: { detail: 'Event not found.' } };
  }
  const list = problems.length > 0 ? problems : [{ path: '', message: detail }];
  return {
    status: 422,
    headers,
    body: {
      detail: list.map(({ path, message: msg }) => ({
        loc: locationOf(path, operation),
        msg,
        type: 'value_error',
      })),
    },
  };
}

/** `images[0].label` of a create is at `['body', 'images', 0, 'label']`. */
function locationOf(path: string, operation: Operation): (string | number)[] {
  const steps = path
    .split(/[.[\]]+/)
    .filter(Boolean)
    .map((step) => (/^\d+$/.test(step) ? Number(step) : step));
  const [name = ''] = steps;
  return [placeOf(String(name), operation), ...steps];
}

function isOfAddress(name: string, operation: Operation): boolean {
  return Object.hasOwn(operation.pathParameters.shape, name);
}

function placeOf(name: string, operation: Operation): string {
  if (isOfAddress(name, operation)) return 'path';
  if (operation.method === 'GET' || Object.hasOwn(operation.query.shape, name)) return 'query';
  return 'body';
}

// The shape in which the platform answers an error (first document, Errors).

import type { Operation } from '../contract/operation.ts';
import type { FoveaError } from '../errors.ts';

export interface ErrorAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** How a service says an error; the operation is known once the path was. */
export type ErrorBody = (error: FoveaError, operation?: Operation) => ErrorAnswer;

/**
 * `{error: {message, type, hint}}`, the type being our code; `{error: message}` for the operation's
 * `textErrors`. A 502 that may be sent again says `retryable: true` beside it; a wait is told in
 * whole seconds as Retry-After.
 */
export function platformErrorBody(error: FoveaError, operation?: Operation): ErrorAnswer {
  const { status, code, message, hint, retry, retryAfterSeconds } = error;
  const headers = {
    ...(status === 401 && { 'www-authenticate': 'Bearer' }),
    ...(retryAfterSeconds !== undefined && {
      'retry-after': String(Math.max(0, Math.ceil(retryAfterSeconds))),
    }),
  };
  const retryable = code === 'upstream_failed' && retry === 'safe';
  return {
    status,
    headers,
    body: {
      error: operation?.textErrors.includes(status)
        ? [message, hint].filter(Boolean).join(' ')
        : { message, type: code, ...(hint !== undefined && { hint }) },
      ...(retryable && { retryable }),
    },
  };
}

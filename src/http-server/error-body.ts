// The shape in which the platform answers an error (first document, Errors).

import type { FoveaError } from '../errors.ts';

export interface ErrorAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/**
 * `{error: {message, type, hint}}`, the type being our code; `{error: message}` for the statuses of
 * `textErrors`. A 502 that may be sent again says `retryable: true` beside it; a wait is told in
 * whole seconds as Retry-After.
 */
export function platformErrorBody(
  error: FoveaError,
  textErrors: readonly number[] = [],
): ErrorAnswer {
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
      error: textErrors.includes(status)
        ? [message, hint].filter(Boolean).join(' ')
        : { message, type: code, ...(hint !== undefined && { hint }) },
      ...(retryable && { retryable }),
    },
  };
}

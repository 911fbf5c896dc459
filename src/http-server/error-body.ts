// The shape in which the platform answers an error (API 27.7).

import type { Operation } from '../contract/operation.ts';
import type { Challenge, FoveaError } from '../errors.ts';

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
 * whole seconds as Retry-After. What a credential lacks is also said as a challenge (RFC 6750
 * section 3).
 */
export function platformErrorBody(error: FoveaError, operation?: Operation): ErrorAnswer {
  const { status, code, message, hint, retry, retryAfterSeconds, challenge } = error;
  const headers = {
    ...((status === 401 || challenge) && { 'www-authenticate': bearerChallenge(challenge) }),
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

/** Without an error where nothing was presented. Scopes are names of ours: nothing to escape. */
function bearerChallenge(challenge: Challenge | undefined): string {
  if (challenge === undefined) return 'Bearer';
  const { error, scope } = challenge;
  return `Bearer error="${error}"${scope === undefined ? '' : `, scope="${scope}"`}`;
}

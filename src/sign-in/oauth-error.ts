// Translates errors of authorization servers into ours.

import {
  AuthorizationResponseError,
  OperationProcessingError,
  ResponseBodyError,
  UnsupportedOperationError,
  WWWAuthenticateChallengeError,
} from 'oauth4webapi';
import { type ErrorCode, FoveaError } from '../errors.ts';
import { limits } from '../limits.ts';

/**
 * Any error of oauth4webapi as a FoveaError; `at` is what answered. Its `cause` holds tokens and
 * whole answers, so it goes no further; the service's own words go into `upstream`.
 */
export function oauthError(thrown: unknown, at: 'token endpoint' | 'resource'): FoveaError {
  if (thrown instanceof FoveaError) return thrown;
  if (thrown instanceof ResponseBodyError) {
    return refused(thrown.error, thrown.error_description, thrown.status);
  }
  if (thrown instanceof AuthorizationResponseError) {
    return refused(thrown.error, thrown.error_description, 0);
  }
  if (thrown instanceof WWWAuthenticateChallengeError) {
    // RFC 6749 section 5.2: a client that was refused in the Authorization header is challenged.
    return at === 'token endpoint' ? refused('invalid_client', undefined, 401) : challenged(thrown);
  }
  if (thrown instanceof OperationProcessingError || thrown instanceof UnsupportedOperationError) {
    const code = thrown.code?.replace(/^OAUTH_/, '') ?? 'UNKNOWN';
    return new FoveaError(
      'upstream_failed',
      `The authorization server's answer cannot be accepted (${code}).`,
      { retry: 'never', hint: reasons[code] ?? 'The service does not follow OAuth 2.0 there.' },
    );
  }
  return new FoveaError('internal', 'The sign-in failed inside Fovea.');
}

interface Words {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string;
}

/** RFC 6749 sections 4.1.2.1 and 5.2, RFC 8707, OpenID Connect Core section 3.1.2.6. */
const known: Readonly<Record<string, Words>> = {
  access_denied: {
    code: 'forbidden',
    message: 'The person did not agree to the sign-in.',
    hint: 'Start it again and agree, where that was not intended.',
  },
  invalid_client: {
    code: 'unauthenticated',
    message: 'The authorization server does not know this client, or refuses its secret.',
    hint: 'Set FOVEA_CLIENT_ID, FOVEA_CLIENT_SECRET and FOVEA_CLIENT_AUTH as it was registered.',
  },
  unauthorized_client: {
    code: 'forbidden',
    message: 'The client is not registered for this way of signing in.',
    hint: 'Register it for the grants authorization_code and refresh_token.',
  },
  invalid_scope: {
    code: 'forbidden',
    message: 'The authorization server does not allow this client the scopes that were asked for.',
    hint: 'Set FOVEA_SCOPES to scopes that the client is registered for, openid among them.',
  },
  invalid_target: {
    code: 'forbidden',
    message: 'The authorization server gives no tokens for that resource.',
    hint: 'Register the resource with it.',
  },
  invalid_grant: {
    code: 'unauthenticated',
    message: 'The authorization server no longer accepts the code.',
    hint: 'Start the sign-in again.',
  },
};

function refused(error: string, description: string | undefined, status: number): FoveaError {
  const words = Object.hasOwn(known, error) ? known[error] : undefined;
  const { code, message, hint } = words ?? {
    code: 'upstream_failed',
    message: 'The authorization server refused the sign-in.',
    hint: 'Its own words say why.',
  };
  const said = description === undefined ? error : `${error}: ${description}`;
  return new FoveaError(code, message, {
    hint,
    ...(words === undefined && { retry: 'never' }),
    upstream: { status, message: said.slice(0, limits.foreignTextMax) },
  });
}

/** RFC 6750 section 3.1. */
function challenged({ status }: WWWAuthenticateChallengeError): FoveaError {
  return status === 403
    ? new FoveaError('forbidden', 'The sign-in does not include what was asked for.', {
        hint: 'Sign out, and sign in again with the scopes that it takes.',
      })
    : new FoveaError('unauthenticated', 'The authorization server refuses the access token.', {
        hint: 'Sign in again.',
      });
}

const reasons: Readonly<Record<string, string>> = {
  INVALID_RESPONSE:
    'A member is missing, or is not what was expected. Its signature or issuer may be wrong: do not sign in there.',
  JWT_CLAIM_COMPARISON_FAILED: 'Its identity token is for another client, issuer or sign-in.',
  JWT_TIMESTAMP_CHECK_FAILED: 'Its identity token is too old or of the future: compare the clocks.',
  KEY_SELECTION_FAILED: 'Its identity token is signed with a key that the service does not name.',
  RESPONSE_IS_NOT_CONFORM: 'Its status is none that is expected there.',
};

// Turns failed attempts into errors: the message is ours, the text of the service is kept apart.

import type { Operation } from '../contract/operation.ts';
import { type ErrorCode, FoveaError, type Retry } from '../errors.ts';
import { limits } from '../limits.ts';
import { isUntrustedCertificate } from '../network/certificate-errors.ts';
import { asProxyError, type ProxyError } from '../network/proxy-error.ts';
import {
  type AttemptedRequest,
  type FailedAttempt,
  type Failure,
  mayRepeat,
  retryAfterMs,
} from '../network/retry.ts';
import type { Secret } from '../secret.ts';
import type { Deadline } from './deadline.ts';
import type { HttpResponse, NoResponse } from './http-request.ts';
import { credentialSetting } from './request.ts';
import { readServiceError, type ServiceMessage, StatusError } from './service-error.ts';

/** The call whose attempt failed. */
export interface CallContext {
  readonly operation: Operation;
  /** Scheme, host and port of the service, from the settings. */
  readonly origin: string;
  /** Redacted wherever the service repeats it. */
  readonly secret: Secret | undefined;
  /** The secret is an access token, not an API key. */
  readonly isAccessToken?: boolean | undefined;
  /** As in Upstream. */
  readonly refusedHint?: string | undefined;
  readonly deadline: Deadline;
}

/** An answer with a status other than 2xx. `now` is wall time, for dates in Retry-After. */
export function statusFailure(context: CallContext, response: HttpResponse, now: number): Failure {
  const { operation, secret } = context;
  const { status, headers } = response;
  const { said, retryable, isObject } = readServiceError(response, secret);
  const repeats = mayRepeat(requestOf(operation), { kind: 'status', status, retryable });
  const waitMs = retryAfterMs(headers, now);
  const seconds = waitMs === undefined ? undefined : Math.ceil(waitMs / 1000);
  const { code, meaning, hint } = explainStatus(context, status);
  // A reason from the service is better than our guess from the status.
  const hasReason = reasoned.includes(status) && said.message !== '';
  const retry = retryOfStatus(operation, status, repeats, seconds);
  const wait = seconds === undefined ? '' : `; it asks to wait ${seconds} s`;
  // The outcome of a write that failed with 5xx is unknown.
  const isOpen =
    operation.effect !== 'reads' && status >= 500 && status !== 501 && retry === 'never';
  const advice = isOpen
    ? readBack(operation)
    : hasReason && said.hint !== undefined
      ? undefined
      : hint;
  const error = new StatusError(
    code,
    `${operation.id} failed with status ${status}${hasReason ? '' : `: ${meaning}`}${wait}.`,
    {
      ...(advice !== undefined && { hint: advice }),
      retry,
      ...(seconds !== undefined && { retryAfterSeconds: seconds }),
      upstream: { status, ...said },
      ...(isOpen && { wasSent: true }),
      isObject,
    },
  );
  return { error, mayRepeat: repeats, retryAfterMs: waitMs };
}

/** Statuses with many possible reasons. */
const reasoned = [400, 404, 409, 422];

/** No answer: nothing was sent, or the answer never came. */
export function unansweredFailure(context: CallContext, { sent, cause }: NoResponse): Failure {
  const { operation, origin } = context;
  if (context.deadline.signal.aborted) return final(endedFailure(context, sent));
  if (cause instanceof Error && cause.name === 'NotReadableError') {
    const message = `${operation.id}: a file changed while it was sent, and was not sent whole.`;
    const details = { retry: 'safe', wasSent: false, cause } as const;
    return final(new FoveaError('invalid_input', message, details));
  }
  const ofProxy = asProxyError(cause);
  const failed: FailedAttempt = sent && !ofProxy ? { kind: 'lost' } : { kind: 'not_sent', cause };
  const repeats = mayRepeat(requestOf(operation), failed);
  if (ofProxy) return { error: proxyFailure(operation, ofProxy), mayRepeat: repeats };
  if (sent) {
    const message = `${operation.id} was sent, but the connection ended before its answer came`;
    return { error: lost(operation, 'upstream_failed', message, cause), mayRepeat: repeats };
  }
  const reason = causeCode(cause);
  const message = `${operation.id} was not sent: ${origin} could not be reached${reason && ` (${reason})`}.`;
  const setting = operation.host === 'device' ? 'FOVEA_DEVICE_URL' : 'FOVEA_BASE_URL';
  const hint = isUntrustedCertificate(reason)
    ? 'Its certificate is not trusted by this machine: name its file in NODE_EXTRA_CA_CERTS.'
    : `Check that the service runs, and that ${setting} is its address.`;
  const details = { hint, retry: 'safe', wasSent: false, cause } as const;
  const error = new FoveaError('unreachable', message, details);
  return { error, mayRepeat: repeats };
}

/** A proxy that failed has forwarded nothing. */
function proxyFailure({ id }: Operation, cause: ProxyError): FoveaError {
  const { message, hint, isTemporary } = cause;
  const details = { hint, retry: isTemporary ? 'safe' : 'never', wasSent: false, cause } as const;
  return new FoveaError('unreachable', `${id} was not sent: ${message}.`, details);
}

/** A 2xx answer that was cut off, by its connection or by the end of the call. */
export function cutFailure(context: CallContext, status: number): Failure {
  const { operation, deadline } = context;
  if (deadline.signal.aborted) return final(endedFailure(context, true));
  const message = `${operation.id}: the connection ended in the middle of the answer (status ${status})`;
  const error = lost(operation, 'upstream_failed', message, undefined);
  return { error, mayRepeat: mayRepeat(requestOf(operation), { kind: 'lost' }) };
}

/** A 2xx response that does not match the contract. It is not retried. */
export function wrongAnswer(
  operation: Operation,
  status: number,
  wrong: string,
  said: ServiceMessage['said'] = { message: '' },
): FoveaError {
  const upstream = { status, ...said };
  const message = `${operation.id} was answered with status ${status}, but ${wrong}.`;
  if (operation.effect === 'reads') {
    return new FoveaError('upstream_failed', message, { retry: 'safe', upstream });
  }
  const unknown = 'It may have been carried out.';
  const details = { hint: readBack(operation), retry: 'never', wasSent: true, upstream } as const;
  return new FoveaError('upstream_failed', `${message} ${unknown}`, details);
}

/** The error of a call that was cancelled, or whose deadline has passed. */
export function endedFailure({ operation, deadline }: CallContext, sent: boolean): FoveaError {
  const unsent = sent ? '' : ' It was not carried out.';
  if (deadline.isCancelled()) {
    if (sent) return lost(operation, 'cancelled', `${operation.id} was cancelled`, undefined);
    const message = `${operation.id} was cancelled.${unsent}`;
    return new FoveaError('cancelled', message, { wasSent: false });
  }
  const message = `${operation.id} had no complete answer within ${deadline.timeoutMs} ms`;
  if (sent) return lost(operation, 'timed_out', message, undefined);
  const hint = 'Raise FOVEA_TIMEOUT_MS if the service is slow.';
  const code = operation.effect === 'reads' ? 'timed_out' : 'unreachable';
  return new FoveaError(code, `${message}.${unsent}`, { hint, retry: 'safe', wasSent: false });
}

/** Sent without a response: a read can be repeated, the outcome of a write is unknown. */
function lost(operation: Operation, code: ErrorCode, message: string, cause: unknown): FoveaError {
  if (operation.effect === 'reads') {
    return new FoveaError(code, `${message}.`, { retry: 'safe', wasSent: true, cause });
  }
  const unknown = 'It was sent; whether it was carried out is unknown.';
  const details = { hint: readBack(operation), retry: 'never', wasSent: true, cause } as const;
  return new FoveaError(code, `${message}. ${unknown}`, details);
}

function readBack({ toolset }: Operation): string {
  return toolset === 'inference'
    ? 'It changes nothing: run it again, if it may be counted twice.'
    : 'Read back what it should have changed before trying again.';
}

function requestOf({ effect, intervalMs }: Operation): AttemptedRequest {
  return { isRead: effect === 'reads', isOncePerInterval: intervalMs > 0 };
}

function final(error: FoveaError): Failure {
  return { error, mayRepeat: false };
}

interface Explained {
  readonly code: ErrorCode;
  readonly meaning: string;
  readonly hint?: string;
}

function explainStatus(context: CallContext, status: number): Explained {
  const { operation, isAccessToken: isToken = false, refusedHint = signInAgain } = context;
  const setting = credentialSetting(operation);
  // The Event Store has one key and knows no scopes.
  const scope = operation.host === 'device' ? 'access' : `the scope ${operation.scope}`;
  const known: Readonly<Record<number, Explained>> = {
    401: {
      code: 'unauthenticated',
      meaning: 'the credential is missing or wrong',
      hint: isToken ? refusedHint : `Set ${setting} to a valid key.`,
    },
    403: {
      code: 'forbidden',
      meaning: 'this credential has no access',
      hint: isToken
        ? `The sign-in may lack ${scope}: sign out, then sign in again with it (FOVEA_SCOPES).`
        : `Use a credential that has ${scope} there (${setting}).`,
    },
    404: {
      code: 'not_found',
      meaning: 'it is not there, or this credential has no access to it',
      hint: 'Check the names and ids in the arguments by listing what is there.',
    },
  };
  const explained = known[status] ?? meanings[status];
  if (explained) return explained;
  if (status < 400) return redirected;
  return status < 500 ? refused : failed;
}

const signInAgain = 'Call auth_sign_in, or run fovea sign-in.';

const redirected: Explained = {
  code: 'upstream_failed',
  meaning: 'it answered with a redirect, and redirects are not followed',
  hint: 'Set the address of the service to the one that answers itself.',
};
const refused: Explained = { code: 'upstream_failed', meaning: 'the service refused the request' };
const failed: Explained = { code: 'upstream_failed', meaning: 'the service failed' };

const meanings: Readonly<Record<number, Explained>> = {
  400: { code: 'invalid_input', meaning: 'the service calls the request invalid' },
  402: { code: 'forbidden', meaning: 'the plan or the quota of the workspace does not allow it' },
  405: { code: 'method_not_allowed', meaning: 'the service does not know this operation there' },
  409: { code: 'conflict', meaning: 'it conflicts with what is there already' },
  410: { code: 'not_found', meaning: 'it is no longer there' },
  413: { code: 'too_large', meaning: 'what was sent is too large' },
  415: { code: 'unsupported_media', meaning: 'the service does not take files of this type' },
  422: { code: 'invalid_input', meaning: 'the service found arguments that are not valid' },
  423: { code: 'forbidden', meaning: 'it is locked, for example because billing is paused' },
  429: { code: 'rate_limited', meaning: 'too many requests' },
  501: { code: 'not_implemented', meaning: 'the service does not offer this operation' },
  529: { code: 'full', meaning: 'the service is full and waits for room' },
};

/** When the caller may make a call again that was response with an error. */
function retryOfStatus(
  operation: Operation,
  status: number,
  repeats: boolean,
  seconds: number | undefined,
): Retry {
  if (status === 429 || status === 529 || (repeats && seconds !== undefined)) return 'after';
  if (repeats) return 'safe';
  return operation.effect === 'reads' && status >= 500 && status !== 501 ? 'safe' : 'never';
}

/** The code of a failed connection, for example `ECONNREFUSED`; empty where there is none. */
function causeCode(cause: unknown): string {
  if (!(cause instanceof Error) || !('code' in cause)) return '';
  const { code } = cause;
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]*$/.test(code) ? code : '';
}

/** How many bytes of a response are read: of an error, enough for its message. */
export function answerBytesMax(status: number, bytesMax: number): number {
  return status < 300 ? bytesMax : limits.errorAnswerBytesMax;
}

// Reads the error of a service from each of the shapes that error bodies have.

import { type ErrorCode, type ErrorDetails, FoveaError, type UpstreamError } from '../errors.ts';
import { isJsonObject, membersOf } from '../json-object.ts';
import { limits } from '../limits.ts';
import type { Secret } from '../secret.ts';
import type { HttpResponse } from './http-request.ts';

export interface ServiceMessage {
  /** The message of the service, cleaned and cut; empty if there is none. */
  readonly said: Omit<UpstreamError, 'status'>;
  /** Whether it says `retryable: true`. */
  readonly retryable: boolean;
}

/** Of an answer with a status other than 2xx. */
interface ServiceError extends ServiceMessage {
  /** Whether the body is a JSON object. */
  readonly isObject: boolean;
}

/** The error of an answer with a status other than 2xx. */
export class StatusError extends FoveaError {
  readonly isObject: boolean;

  constructor(code: ErrorCode, message: string, details: StatusErrorDetails) {
    super(code, message, details);
    this.isObject = details.isObject;
  }
}

interface StatusErrorDetails extends ErrorDetails {
  /** Whether the body is a JSON object, as all errors of the services are. */
  readonly isObject: boolean;
}

/** The error in a response. `secret` is redacted wherever the service repeats it. */
export function readServiceError(response: HttpResponse, secret: Secret | undefined): ServiceError {
  if (isCompressed(response)) return { said: { message: '' }, retryable: false, isObject: false };
  const text = response.bytes.toString('utf8');
  const body = parsed(text);
  // The end of a body that is too large is missing.
  const isObject = response.end === 'too_large' ? /^\s*\{/.test(text) : isJsonObject(body);
  return { ...messageOf(body, secret), isObject };
}

/**
 * The message in a body of any of the documented shapes: `{error: text}`, `{error: {message, type,
 * hint}}` (API 27.7), `{error: code, message}`, `{message}`, and `{detail}` with a
 * text or a list of `{loc, msg}` (Event Store 15.1).
 */
export function messageOf(body: unknown, secret: Secret | undefined): ServiceMessage {
  const clean = (text: string | undefined) => cleaned(text, secret);
  const outer = membersOf(body);
  const inner = membersOf(outer.error);
  const first = textOf(inner.message) ?? textOf(outer.message) ?? detail(outer.detail);
  const code = textOf(outer.error);
  const type = clean(textOf(inner.type) ?? (first === undefined ? undefined : code));
  const hint = clean(textOf(inner.hint) ?? textOf(outer.hint));
  const message = clean(first ?? code ?? (typeof body === 'string' ? body : undefined)) ?? '';
  return {
    said: { message, ...(type && { type }), ...(hint && { hint }) },
    retryable: outer.retryable === true || inner.retryable === true,
  };
}

/** Whether a body is compressed, although the request accepts none. */
export function isCompressed({ headers }: { readonly headers: HttpResponse['headers'] }): boolean {
  const encoding = headers['content-encoding'];
  return encoding !== undefined && encoding !== '' && encoding !== 'identity';
}

function detail(value: unknown): string | undefined {
  if (!Array.isArray(value)) return textOf(value);
  const lines = value.slice(0, 100).map((each) => {
    const { loc, msg } = membersOf(each);
    const path = Array.isArray(loc) ? loc.filter((part) => typeof part !== 'object').join('.') : '';
    return path === '' ? (textOf(msg) ?? '') : `${path}: ${textOf(msg) ?? ''}`;
  });
  return lines.filter((line) => line !== '').join('; ');
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Without control characters and the secret, cut to `limits.foreignTextMax`. */
function cleaned(text: string | undefined, secret: Secret | undefined): string | undefined {
  if (text === undefined) return undefined;
  const key = secret?.reveal();
  const spellings = key ? [key, encodeURIComponent(key)] : [];
  return spellings
    .reduce((rest, spelling) => rest.replaceAll(spelling, '[secret]'), text)
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, limits.foreignTextMax)
    .toWellFormed();
}

/** The value of JSON text; the text itself if it is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

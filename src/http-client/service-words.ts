// What a service says of an error, from each of the shapes that errors have on the wire.

import type { UpstreamError } from '../errors.ts';
import { isJsonObject, membersOf } from '../json-object.ts';
import { limits } from '../limits.ts';
import type { Secret } from '../secret.ts';
import type { Answered } from './exchange.ts';

export interface ServiceWords {
  /** Its own words, cleaned and cut; the message is empty where there are none. */
  readonly said: Omit<UpstreamError, 'status'>;
  /** Whether it says `retryable: true`. */
  readonly retryable: boolean;
}

/** Of an answer with a status other than 2xx. */
interface ErrorWords extends ServiceWords {
  /** Whether the body is a JSON object. */
  readonly isObject: boolean;
}

/** The words of an answer that is an error. `secret` is taken out wherever it is repeated. */
export function serviceWords(answered: Answered, secret: Secret | undefined): ErrorWords {
  if (isEncoded(answered)) return { said: { message: '' }, retryable: false, isObject: false };
  const text = answered.bytes.toString('utf8');
  const body = parsed(text);
  // Of one that is too large, its end is missing.
  const isObject = answered.end === 'too_large' ? /^\s*\{/.test(text) : isJsonObject(body);
  return { ...wordsOf(body, secret), isObject };
}

/**
 * The words in a body of any of the documented shapes: `{error: text}`, `{error: {message, type,
 * hint}}` (first document, Errors), `{error: code, message}`, `{message}`, and `{detail}` with a
 * text or a list of `{loc, msg}` (second document, Errors).
 */
export function wordsOf(body: unknown, secret: Secret | undefined): ServiceWords {
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

/** Whether the body of an answer is compressed, which was not asked for. */
export function isEncoded({ headers }: { readonly headers: Answered['headers'] }): boolean {
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

/** Without control characters, without the secret, cut to a bearable length. */
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

/** What a text says as JSON; the text itself where it is none. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

// Parses and validates the body of a 2xx response.

import { check } from '../contract/check.ts';
import type { Answer, Operation } from '../contract/operation.ts';
import { FoveaError } from '../errors.ts';
import { membersOf } from '../json-object.ts';
import { limits } from '../limits.ts';
import type { Secret } from '../secret.ts';
import { wrongAnswer } from './failures.ts';
import type { HttpResponse } from './http-request.ts';
import { isCompressed, messageOf, type ServiceMessage } from './service-error.ts';

/**
 * The JSON body of a whole 2xx answer; `{}` where there is none. Throws `upstream_failed` for an
 * answer that is too large or too deep, compressed, no JSON, or that carries an error.
 */
export function readBody(
  operation: Operation,
  response: HttpResponse,
  secret: Secret | undefined,
): unknown {
  const { status, headers, bytes, end } = response;
  const wrong = (what: string, said?: ServiceMessage['said']) =>
    wrongAnswer(operation, status, what, said);
  if (end === 'too_large') throw wrong('the answer is too large to be read');
  if (status === 204 || bytes.length === 0) return {};
  if (isCompressed(response)) throw wrong('the answer is compressed, which was not asked for');
  if (!isJson(headers['content-type'])) throw wrong('the answer is not of the type JSON');
  const body = parse(bytes, () => wrong('the answer is not valid JSON'));
  if (isDeeper(body, limits.jsonDepthMax)) throw wrong('the answer is nested too deeply');
  if (carriesError(operation, body)) {
    throw wrong('the answer carries an error', messageOf(body, secret).said);
  }
  return body;
}

/** The body, typed by the contract. Throws `upstream_failed` if it has another shape. */
export function typedBody<O extends Operation>(
  operation: O,
  status: number,
  body: unknown,
  secret: Secret | undefined,
): Answer<O> {
  try {
    return check<O['answer']>(operation.answer, body);
  } catch (thrown) {
    if (!(thrown instanceof FoveaError)) throw thrown;
    const { said } = messageOf(thrown.message, secret);
    throw wrongAnswer(operation, status, 'the answer has not the documented shape', said);
  }
}

/** The body of a service of this process, whose handlers the compiler holds to the contract. */
export function ownBody<O extends Operation>(operation: O, body: unknown): Answer<O>;
export function ownBody(_operation: Operation, body: unknown): unknown {
  return body;
}

function isJson(contentType: string | string[] | undefined): boolean {
  if (contentType === undefined) return true;
  return /^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(String(contentType).trim());
}

function parse(bytes: Buffer, broken: () => FoveaError): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw broken();
  }
}

/** Printing or copying a value that is too deep would exhaust the stack. */
function isDeeper(value: unknown, depthMax: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depthMax === 0 || Object.values(value).some((inner) => isDeeper(inner, depthMax - 1));
}

/** An `error` member that the contract defines, such as that of a failed task, is no failure. */
function carriesError({ answer }: Operation, body: unknown): boolean {
  const { error } = membersOf(body);
  if (error === undefined || error === null || error === false || error === '') return false;
  return !('error' in membersOf('shape' in answer ? answer.shape : undefined));
}

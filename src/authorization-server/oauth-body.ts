// The body of a request to an OAuth endpoint, read once and within bounds: for us and the library.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { asFoveaError } from '../errors.ts';
import { readBytes } from '../http-server/bounded-body.ts';
import { sendAnswer } from '../http-server/responses.ts';
import { limits } from '../limits.ts';
import { isForm } from './form-type.ts';

/**
 * The body, of any type. Undefined: it was too long, encoded or did not come, and that was answered
 * in the shape of OAuth (RFC 6749 section 5.2). Throws `cancelled` when the client is gone.
 */
export async function readOAuthBody(
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Buffer | undefined> {
  const { 'content-encoding': encoding = 'identity' } = request.headers;
  if (encoding.toLowerCase() !== 'identity') {
    const description = 'the body must come without a Content-Encoding';
    sendAnswer(response, 415, { error: 'invalid_request', error_description: description });
    return undefined;
  }
  try {
    return await readBytes(request, limits.signInFormBytesMax);
  } catch (thrown) {
    const { code, status, message } = asFoveaError(thrown);
    if (code !== 'too_large' && code !== 'bad_request') throw thrown;
    sendAnswer(response, status, { error: 'invalid_request', error_description: message });
    return undefined;
  }
}

/** The members of a form; none when the body is of another type. */
export function formMembers(request: IncomingMessage, body: Buffer): URLSearchParams {
  return new URLSearchParams(isForm(request) ? body.toString('utf8') : '');
}

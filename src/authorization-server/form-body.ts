// Request bodies of the OAuth endpoints and of the pages' forms, read once and within bounds.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { asFoveaError, FoveaError, invalidArgument } from '../errors.ts';
import { readBytes } from '../http-server/body-limits.ts';
import { sendAnswer } from '../http-server/responses.ts';
import { limits } from '../limits.ts';
import { http } from '../network/http-module.ts';

/**
 * The body, of any type. Undefined: it was too long, encoded or incomplete, and an OAuth error was
 * sent (RFC 6749 section 5.2). Throws `cancelled` when the client is gone.
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

/** The parameters of a form; none when the body is of another type. */
export function formMembers(request: IncomingMessage, body: Buffer): URLSearchParams {
  return new URLSearchParams(isForm(request) ? body.toString('utf8') : '');
}

export interface Form {
  /** The value of a field; empty where it is missing. Throws `invalid_input` for two values. */
  text(name: string): string;
  /** All non-empty values of a field. */
  all(name: string): readonly string[];
}

/** Reads the whole body. Throws `unsupported_media` for another type, `too_large` above 16 KiB. */
export async function readForm(request: IncomingMessage): Promise<Form> {
  if (!isForm(request)) {
    throw new FoveaError('unsupported_media', 'This address takes forms alone.');
  }
  const bytes = await readBytes(request, limits.signInFormBytesMax);
  const fields = new URLSearchParams(bytes.toString('utf8'));
  const all = (name: string) => fields.getAll(name).filter((value) => value !== '');
  return {
    all,
    text: (name) => {
      const [value = '', ...more] = all(name);
      if (more.length > 0) throw invalidArgument(name, 'is there twice');
      return value;
    },
  };
}

/** Whether the Content-Type is that of a form (RFC 6749 appendix B), with any parameters. */
function isForm({ headers }: IncomingMessage): boolean {
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  return type.trim().toLowerCase() === 'application/x-www-form-urlencoded';
}

/** The request with a body that was already read, for the library, which reads it itself. */
export function replayRequest(request: IncomingMessage, body: Uint8Array): IncomingMessage {
  const replay = new http.IncomingMessage(request.socket);
  const { 'transfer-encoding': _encoding, ...headers } = request.headers;
  replay.method = request.method;
  replay.url = request.url;
  replay.httpVersion = request.httpVersion;
  replay.headers = { ...headers, 'content-length': String(body.length) };
  // The socket has nothing left to read: destroying the replay must not close the connection.
  replay.complete = true;
  replay.push(body);
  replay.push(null);
  return replay;
}

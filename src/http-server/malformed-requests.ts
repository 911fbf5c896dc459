// Answers requests that Node cannot parse as HTTP in the error shape of the service.

import type { Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { FoveaError, invalidArgument } from '../errors.ts';
import { http } from '../network/http-module.ts';
import { type ErrorAnswer, errorMessage } from './responses.ts';

/** Answers such requests, and closes their connections. */
export function answerMalformedRequests(
  server: Server,
  errorBody: (error: FoveaError) => ErrorAnswer,
): void {
  const latest = new WeakMap<Duplex, ServerResponse>();
  server.on('request', ({ socket }, response) => latest.set(socket, response));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const response = latest.get(socket);
    const isMidAnswer = response?.headersSent && !response.writableFinished;
    if (isMidAnswer || !socket.writable || error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    const { status, message } = reasonOf(error.code);
    const answer = {
      ...errorBody(status === 408 ? tooLate(message) : unreadable(message)),
      status,
    };
    socket.end(errorMessage(answer, http.STATUS_CODES[status] ?? ''), () => socket.destroy());
  });
}

function unreadable(message: string): FoveaError {
  return invalidArgument('', message);
}

/** Where we are too busy to read, the client is not to blame: it may send the request again. */
function tooLate(message: string): FoveaError {
  // Clients that were cut off together do not come back together.
  const retryAfterSeconds = Math.ceil(5 * (1 + Math.random()));
  return new FoveaError('timed_out', message, { retryAfterSeconds });
}

function reasonOf(code: string | undefined): { status: number; message: string } {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return { status: 431, message: 'The headers of the request are too large.' };
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return { status: 408, message: 'The request did not come to its end in time.' };
  }
  return { status: 400, message: 'The request is not valid HTTP/1.1.' };
}

// Answers requests that Node cannot parse as HTTP in the error shape of the service.

import type { Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { type FoveaError, invalidArgument } from '../errors.ts';
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
    const answer = { ...errorBody(invalidArgument('', message)), status };
    socket.end(errorMessage(answer, http.STATUS_CODES[status] ?? ''), () => socket.destroy());
  });
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

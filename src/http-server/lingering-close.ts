// Lingering close: after an answer that is sent before the body has been read, the rest of the body
// is read and discarded for a moment. Closing at once would reset the connection, and a client that
// still sends would lose the answer (RFC 9112 section 9.6).

import type { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { limits } from '../limits.ts';

/** Reads on for `limits.lingerMsMax`. Call it before the request is answered. */
export function closeLingering(request: IncomingMessage, response: ServerResponse): void {
  const { socket } = request;
  // Node calls destroySoon after the last answer of a connection, and would read no further.
  socket.destroySoon = () => {
    if (request.complete) Socket.prototype.destroySoon.call(socket);
    else socket.end();
  };
  response.on('finish', () => {
    if (!request.complete) discardRest(request);
  });
}

function discardRest(request: IncomingMessage): void {
  const { socket } = request;
  const cut = setTimeout(() => socket.destroy(), limits.lingerMsMax);
  const onClose = () => clearTimeout(cut);
  socket.once('close', onClose);
  let pieces = 0;
  let bytes = 0;
  request.on('data', ({ length }: Buffer) => {
    pieces += 1;
    bytes += length;
    if (isFragmented(pieces, bytes)) socket.destroy();
  });
  request.on('end', () => {
    clearTimeout(cut);
    // The connection may go on for many requests.
    socket.off('close', onClose);
    if (socket.writableEnded) socket.destroySoon();
  });
}

/** Whether a body comes in so many small chunks that they cost more than its bytes. */
export function isFragmented(pieces: number, bytes: number): boolean {
  return pieces > limits.bodyPiecesFree + bytes / limits.bodyPieceBytesMin;
}

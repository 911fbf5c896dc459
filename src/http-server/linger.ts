// An answer that comes before the body has: the rest is read and thrown away for a moment, as
// closing at once would take the answer from a client that is still sending (RFC 9112 section 9.6).

import type { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { limits } from '../limits.ts';

/** Reads on for `lingerMsMax`. Call it before the request is answered. */
export function lingerAfterAnswer(request: IncomingMessage, response: ServerResponse): void {
  const { socket } = request;
  // Node calls it after the last answer of a connection, and would read no further.
  socket.destroySoon = () => {
    if (request.complete) Socket.prototype.destroySoon.call(socket);
    else socket.end();
  };
  response.on('finish', () => {
    if (!request.complete) readOn(request);
  });
}

function readOn(request: IncomingMessage): void {
  const { socket } = request;
  const cut = setTimeout(() => socket.destroy(), limits.lingerMsMax);
  socket.once('close', () => clearTimeout(cut));
  let pieces = 0;
  let bytes = 0;
  request.on('data', ({ length }: Buffer) => {
    pieces += 1;
    bytes += length;
    if (isCutSmall(pieces, bytes)) socket.destroy();
  });
  request.on('end', () => {
    clearTimeout(cut);
    if (socket.writableEnded) socket.destroySoon();
  });
}

/** Whether a body comes in so many small pieces that handing them on costs more than its bytes. */
export function isCutSmall(pieces: number, bytes: number): boolean {
  return pieces > limits.bodyPiecesFree + bytes / limits.bodyPieceBytesMin;
}

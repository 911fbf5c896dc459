// An answer that comes before the body has: the rest is read and thrown away for a moment, as
// closing at once would take the answer from a client that is still sending (RFC 9112 section 9.6).

import type { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { limits } from '../limits.ts';

/** To be called before the request is answered. */
export function lingerAfterAnswer(request: IncomingMessage, response: ServerResponse): void {
  const { socket } = request;
  // What Node does after the last answer of a connection: it would not read on.
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
  let pieces = 0;
  let bytes = 0;
  request.on('data', ({ length }: Buffer) => {
    pieces += 1;
    bytes += length;
    const isCutSmall = pieces > limits.lingerPiecesMax + bytes / limits.bodyPieceBytesMin;
    if (isCutSmall) socket.destroy();
  });
  request.on('end', () => {
    clearTimeout(cut);
    if (socket.writableEnded) socket.destroySoon();
  });
}

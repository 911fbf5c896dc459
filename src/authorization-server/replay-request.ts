// A request whose body was read already, for a handler that reads it itself.

import { IncomingMessage } from 'node:http';

/** The same request with that body; headers that told of its transfer are made to fit. */
export function replayRequest(request: IncomingMessage, body: Uint8Array): IncomingMessage {
  const replay = new IncomingMessage(request.socket);
  const { 'transfer-encoding': _encoding, ...headers } = request.headers;
  replay.method = request.method;
  replay.url = request.url;
  replay.httpVersion = request.httpVersion;
  replay.headers = { ...headers, 'content-length': String(body.length) };
  // Nothing of the socket is left to read: destroying the replay must not end the connection.
  replay.complete = true;
  replay.push(body);
  replay.push(null);
  return replay;
}

// The line to the object store: it can answer 500 and 503 in place of the store, and keep to itself
// that the store has taken something.

import { once } from 'node:events';
import { createServer, request as send } from 'node:http';
import { pipeline } from 'node:stream';

export interface ObjectsLine {
  readonly url: string;
  /** What it answers in place of the store; undefined: the store answers. */
  refuse(statusOf: () => number | undefined): void;
  /** Told of each object that the store has taken, before who sent it is. */
  readonly stored: Set<(path: string) => Promise<void>>;
  close(): void;
}

export async function openObjectsLine(endpoint: string): Promise<ObjectsLine> {
  let statusOf: () => number | undefined = () => undefined;
  const stored = new Set<(path: string) => Promise<void>>();
  const server = createServer((incoming, outgoing) => {
    const status = statusOf();
    if (status !== undefined) {
      incoming.resume();
      outgoing.writeHead(status).end();
      return;
    }
    const { method, url = '', headers } = incoming;
    // The host is in the signature.
    const onward = send(endpoint + url, { method, headers }, async (answer) => {
      if (method === 'PUT' && answer.statusCode === 200) {
        await Promise.all([...stored].map((tell) => tell(url)));
      }
      if (outgoing.destroyed) return void answer.destroy();
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      pipeline(answer, outgoing, () => {});
    });
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    stored,
    refuse: (given) => {
      statusOf = given;
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

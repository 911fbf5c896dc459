// The cloud, as far as the service needs one: takes vision events, and remembers what came.

import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';

export interface Cloud {
  readonly url: string;
  /** Every event that came, as it was sent. */
  events(): readonly Readonly<Record<string, unknown>>[];
  /** The bodies of all uploads of images, as they were sent. */
  images(): readonly Buffer[];
  /** False: answers 503 with a second to wait. */
  setOpen(isOpen: boolean): void;
  close(): Promise<void>;
}

/** Listens on that port; 0: any free one. */
export async function startCloud(port = 0): Promise<Cloud> {
  const events: Record<string, unknown>[] = [];
  const images: Buffer[] = [];
  let isOpen = true;
  const server = createServer(async (request, response) => {
    const body = await readAll(request);
    if (!isOpen) {
      response.writeHead(503, { 'retry-after': '1', 'content-type': 'application/json' });
      response.end('{"error":"closed"}');
      return;
    }
    const { status, answer } = take(request.url ?? '', body, { events, images });
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const taken = typeof address === 'object' && address ? address.port : port;
  return {
    url: `http://127.0.0.1:${taken}`,
    events: () => events,
    images: () => images,
    setOpen: (value) => {
      isOpen = value;
    },
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

interface Taken {
  readonly events: Record<string, unknown>[];
  readonly images: Buffer[];
}

function take(url: string, body: Buffer, { events, images }: Taken) {
  const path = url.split('?')[0];
  if (path === '/vision-events/upload') {
    images.push(body);
    return { status: 200, answer: { sourceId: `source-${images.length}` } };
  }
  if (path === '/vision-events/batch') {
    const { events: batch } = members(JSON.parse(body.toString('utf8')));
    const taken = Array.isArray(batch) ? batch.map(members) : [];
    events.push(...taken);
    const eventIds = taken.map(({ eventId }) => eventId);
    return { status: 201, answer: { created: taken.length, eventIds } };
  }
  if (path === '/vision-events') {
    const event = members(JSON.parse(body.toString('utf8')));
    events.push(event);
    return { status: 201, answer: { eventId: event.eventId, created: true } };
  }
  return { status: 404, answer: { error: 'not found' } };
}

function members(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  await once(request, 'end');
  return Buffer.concat(pieces);
}

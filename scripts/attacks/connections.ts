// Connections that are slow, broken or many, and what others get meanwhile.

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { rawRequests, sendRaw } from '../../test/event-store/fuzz/raw-requests.ts';
import type { Attack, Target, TargetName } from './attack.ts';
import { freshKey } from './credentials.ts';
import { repeated } from './dense-bodies.ts';
import { blackPng, chunk, withChunks } from './image-bytes.ts';
import { form, formHeaders } from './raw-request.ts';

/** How long a slow connection is kept open. */
const slowMs = 2_500;

/** Opens connections, passes each to `use`, and closes those that are left. */
function sockets(
  target: TargetName,
  name: string,
  count: number,
  use: (socket: Socket, target: Target) => Promise<unknown>,
): Attack {
  return {
    name: `connections: ${name}`,
    target,
    mayCut: true,
    prepare: async (given) => async () => {
      const all = await Promise.all(repeated(count, () => opened(given)));
      await Promise.all(all.map((socket) => use(socket, given)));
      for (const socket of all) socket.destroy();
    },
  };
}

async function opened({ port }: Target): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  await Promise.race([once(socket, 'connect').catch(() => {}), closed(socket)]);
  return socket;
}

const hostLine = ({ port }: Target) => `Host: 127.0.0.1:${port}\r\n`;

function head(target: Target, method: string, path: string, more = ''): string {
  const credential = target.key === '' ? '' : `Authorization: Bearer ${target.key}\r\n`;
  return `${method} ${path} HTTP/1.1\r\n${hostLine(target)}${credential}${more}\r\n`;
}

/** Piece by piece, until the time is over or the other side has had enough. */
async function dribble(socket: Socket, piece: string, gapMs: number): Promise<void> {
  const endMs = performance.now() + slowMs;
  while (performance.now() < endMs && !socket.destroyed) {
    socket.write(piece);
    await wait(gapMs);
  }
}

/** A path of each service that takes a JSON body. */
const jsonPath = ({ key }: Target) => (key === '' ? '/v2/events' : '/local/search/v1');

const jsonType = 'Content-Type: application/json\r\n';

/** Connections that are slow, go away or want something else. */
function slow(target: 'platform' | 'event-store'): readonly Attack[] {
  return [
    sockets(target, '400 that say nothing', 400, () => wait(slowMs)),
    sockets(target, '300 whose headers come letter by letter', 300, async (socket, given) => {
      socket.write(`GET / HTTP/1.1\r\n${hostLine(given)}X-A: `);
      await dribble(socket, 'a', 100);
    }),
    sockets(target, '200 whose bodies come letter by letter', 200, async (socket, given) => {
      socket.write(head(given, 'POST', jsonPath(given), `${jsonType}Content-Length: 900\r\n`));
      await dribble(socket, ' ', 100);
    }),
    sockets(target, '300 that go away in the middle of a body', 300, async (socket, given) => {
      socket.write(head(given, 'POST', jsonPath(given), `${jsonType}Content-Length: 90000\r\n`));
      socket.write('{"query":"');
      await wait(50);
      socket.destroy();
    }),
    sockets(target, '500 that go away before the answer', 500, async (socket, given) => {
      socket.write(head(given, 'GET', given.key === '' ? '/v2/events?limit=1000' : '/local'));
      socket.destroy();
    }),
    sockets(target, '200 that expect to be asked to go on', 200, async (socket, given) => {
      const more = `${jsonType}Expect: 100-continue\r\nContent-Length: 70000000\r\n`;
      socket.write(head(given, 'POST', jsonPath(given), more));
      await wait(500);
    }),
    sockets(target, '200 that want another protocol', 200, async (socket, given) => {
      const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: a\r\n';
      socket.write(head(given, 'GET', '/', upgrade));
      await wait(300);
    }),
  ];
}

/** Much of what one connection, or each of a few, may bring. */
function large(target: 'platform' | 'event-store'): readonly Attack[] {
  return [
    sockets(target, 'a body in 300,000 chunks', 1, async (socket, given) => {
      const chunked = `${jsonType}Transfer-Encoding: chunked\r\n`;
      socket.write(head(given, 'POST', jsonPath(given), chunked));
      socket.write('1\r\n \r\n'.repeat(300_000));
      socket.write('0\r\n\r\n');
      await answered(socket, given);
    }),
    sockets(target, '10 MB of chunk extensions', 4, async (socket, given) => {
      const chunked = `${jsonType}Transfer-Encoding: chunked\r\n`;
      socket.write(head(given, 'POST', jsonPath(given), chunked));
      socket.write(`1;${'a=b;'.repeat(2_500_000)}\r\n \r\n0\r\n\r\n`);
      await answered(socket, given);
    }),
    sockets(target, '10,000 requests in a row on one', 1, async (socket, given) => {
      socket.write(head(given, 'GET', '/health').repeat(10_000));
      await quiet(socket);
    }),
    sockets(target, '4,000 requests for the docs, and nobody reads', 8, async (socket, given) => {
      socket.pause();
      socket.write(head(given, 'GET', '/docs/swagger-ui-bundle.js').repeat(500));
      await wait(slowMs);
    }),
    sockets(target, '5 MB of noise on 20', 20, async (socket) => {
      socket.write(randomBytes(5_000_000));
      await quiet(socket);
    }),
    sockets(target, '1,000 in a row', 1, async (_, given) => {
      for (let at = 0; at < 1_000; at += 1) (await opened(given)).destroy();
    }),
    {
      name: 'connections: requests that are no HTTP',
      target,
      mayCut: true,
      prepare: async (given) => async () => {
        for (const [, request] of rawRequests) {
          const { status } = await sendRaw(given.url, request);
          given.record(status);
        }
      },
    },
  ];
}

/** Waits for the first answer, and records its status. */
async function answered(socket: Socket, target: Target): Promise<void> {
  const first = await Promise.race([
    once(socket, 'data').then(([bytes]) => String(bytes)),
    once(socket, 'close').then(() => ''),
    wait(20_000, ''),
  ]).catch(() => '');
  target.record(Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1] ?? 0));
}

/** Reads until nothing came for a while, or the other side closes. */
async function quiet(socket: Socket): Promise<void> {
  socket.resume();
  socket.setTimeout(500, () => socket.destroy());
  if (!socket.destroyed) await Promise.race([closed(socket), wait(10_000)]);
}

function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once('close', () => resolve()));
}

/** A file of 1.2 MB, which is as any other; each has other bytes. */
function largeFile(at: number): Buffer {
  const image = blackPng({ width: 64, height: 64, bits: 8, colour: 2, interlaced: false });
  return withChunks(image, [chunk('teSt', Buffer.alloc(1_200_000, `${at} `))]);
}

const upload = (target: Target, key: string, at: number) => {
  const file = { name: 'file', fileName: 'a.png', type: 'image/png', content: largeFile(at) };
  return { ...form(`/dataset/${target.id('project')}/upload`, [file]), key };
};

/** All places for large bodies are taken by one: somebody else uploads meanwhile. */
const slowUploads: Attack = {
  name: 'connections: 16 slow uploads of one, and a file of another',
  target: 'platform',
  mayCut: true,
  prepare: async (target) => {
    const key = await freshKey(target);
    const quietly = await target.bystander(upload(target, key, 1));
    return async () => {
      const slow = await Promise.all(repeated(16, () => opened(target)));
      for (const socket of slow) {
        const type = `Content-Type: ${formHeaders['content-type']}\r\nContent-Length: 2000000\r\n`;
        socket.write(head(target, 'POST', `/dataset/${target.id('project')}/upload`, type));
        socket.write(`--fovea-attacks-boundary\r\n${'a'.repeat(70_000)}`);
      }
      await wait(300);
      const served = target.bystander(upload(target, key, 2), quietly.ms);
      const reply = await Promise.race([served, wait(8_000)]);
      if (reply === undefined) target.fail('somebody else was not served for 8 s');
      for (const socket of slow) socket.destroy();
    };
  },
};

export const connectionAttacks: readonly Attack[] = [
  ...slow('platform'),
  ...large('platform'),
  ...slow('event-store'),
  ...large('event-store'),
  slowUploads,
  {
    name: 'connections: 1,000 small requests at once',
    target: 'platform',
    prepare: async (target) => () =>
      Promise.all(repeated(1_000, () => target.send({ path: '/', headers: acceptJson }))),
  },
];

const acceptJson = { accept: 'application/json' };

// Large bodies wait for memory, so that many at once do not fill it; small ones do not wait.

import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { bearer, json, send, startTestService, type TestService } from './test-service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});

afterAll(() => service.close());

const large = Buffer.from(`{"name":"${'x'.repeat(2_000_000)}"}`);

const bob = { authorization: 'Bearer key-of-bob' };

interface LargeBody {
  readonly as?: { readonly authorization: string };
  /** Of the whole body, as announced; undefined: none is announced. */
  readonly announced?: number | undefined;
  /** Of it, what comes. */
  readonly sent: number;
}

/** Sends the head of a request and the first bytes of its large body, and no more. */
function startLarge({ as = bearer, announced, sent }: LargeBody): Promise<Socket> {
  const { promise, resolve } = Promise.withResolvers<Socket>();
  const body = `{"name":"${'x'.repeat(sent - 9)}`;
  const socket = connect(service.port, '127.0.0.1', () => {
    socket.write(
      `POST /ws/projects HTTP/1.1\r\nHost: 127.0.0.1:${service.port}\r\n` +
        `Authorization: ${as.authorization}\r\nContent-Type: application/json\r\n` +
        (announced === undefined
          ? `Transfer-Encoding: chunked\r\n\r\n${sent.toString(16)}\r\n${body}`
          : `Content-Length: ${announced}\r\n\r\n${body}`),
      () => resolve(socket),
    );
  });
  socket.on('error', () => {});
  return promise;
}

function start(count: number, body: LargeBody): Promise<readonly Socket[]> {
  return Promise.all(Array.from({ length: count }, () => startLarge(body)));
}

function end(sockets: readonly Socket[]): void {
  for (const socket of sockets) socket.destroy();
}

function create(body: string | Buffer, as = bearer) {
  const headers = { ...as, 'content-type': 'application/json' };
  return send(service, 'POST', '/ws/projects', headers, body);
}

/** A large body of this caller, once it has to wait for bodies that were sent before it. */
async function waiting(): Promise<{ answer: ReturnType<typeof create> }> {
  for (let attempt = 1; attempt <= 20; attempt += 1) {
    const answer = create(large);
    if ((await Promise.race([answer, delay(1_000, 'waits')])) === 'waits') return { answer };
  }
  throw new Error('it never had to wait');
}

/** Two of them are all that one caller may have in memory at once. */
const half = { announced: 32 * 1024 * 1024, sent: 1_200_000 };

test('a large body waits for others of its caller, and keeps nobody else waiting', async () => {
  const slow = await start(2, half);
  const { answer } = await waiting();
  expect(await Promise.race([answer, delay(100, 'waits')])).toBe('waits');
  expect(json(await create('{"name":"small"}'))).toMatchObject({ input: { name: 'small' } });
  expect((await create(large, bob)).status).toBe(201);
  slow[1]?.destroy();
  expect((await answer).status).toBe(201);
  end(slow);
});

test('slow bodies without an announced size keep nobody else waiting either', async () => {
  const slow = await start(40, { sent: 1_200_000 });
  await delay(300);
  expect((await create(large, bob)).status).toBe(201);
  expect(json(await create('{"name":"small"}'))).toMatchObject({ input: { name: 'small' } });
  end(slow);
});

test('the keys of one group together leave room for others', async () => {
  const grouped = await startTestService({
    callerOf: (principal, address) => ({ name: `${principal} ${address}`, group: principal }),
    authenticate: async (presented) => presented?.reveal(),
    trustedProxies: ['127.0.0.1'],
  });
  onTestFinished(() => grouped.close());
  const from = (host: number) => ({ ...bearer, 'x-forwarded-for': `192.0.2.${host}` });
  const body = `{"name":"${'x'.repeat(1_200_000)}`;
  const sockets = [1, 1, 2, 2, 3, 3, 4, 4].map((host) => {
    const socket = connect(grouped.port, '127.0.0.1');
    socket.on('error', () => {});
    socket.write(
      `POST /ws/projects HTTP/1.1\r\nHost: 127.0.0.1:${grouped.port}\r\n` +
        `Authorization: ${bearer.authorization}\r\nX-Forwarded-For: 192.0.2.${host}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${half.announced}\r\n\r\n${body}`,
    );
    return socket;
  });
  await delay(500);
  const headers = { 'content-type': 'application/json' };
  const same = send(grouped, 'POST', '/ws/projects', { ...headers, ...from(9) }, large);
  expect(await Promise.race([same, delay(300, 'waits')])).toBe('waits');
  const other = await send(grouped, 'POST', '/ws/projects', { ...headers, ...bob }, large);
  expect(other.status).toBe(201);
  end(sockets);
  expect((await same).status).toBe(201);
});

test('a large body that has hardly begun to come keeps nobody waiting', async () => {
  const slow = await start(40, { ...half, sent: 100_000 });
  await delay(100);
  expect((await create(large)).status).toBe(201);
  end(slow);
});

test('who goes away while waiting keeps nobody else waiting', async () => {
  const slow = await start(2, half);
  await delay(300);
  const impatient = await startLarge(half);
  await delay(100);
  impatient.resetAndDestroy();
  const { answer } = await waiting();
  end(slow);
  expect((await answer).status).toBe(201);
});

test('a body in memory that only trickles in ends after five minutes, whatever videos may', async () => {
  const patient = await startTestService({ requestMsMax: 24 * 60 * 60 * 1000 });
  onTestFinished(() => patient.close());
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const socket = connect(patient.port, '127.0.0.1');
  let answer = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    answer += text;
  });
  socket.on('error', () => {});
  socket.write(
    `POST /ws/projects HTTP/1.1\r\nHost: 127.0.0.1:${patient.port}\r\n` +
      `Authorization: ${bearer.authorization}\r\nContent-Type: application/json\r\n` +
      'Content-Length: 900000\r\n\r\n{"name":"',
  );
  const trickle = async (seconds: number) => {
    for (let waited = 0; waited < seconds; waited += 5) {
      socket.write('x'.repeat(1_000));
      await delay(10);
      await vi.advanceTimersByTimeAsync(5_000);
    }
    await delay(50);
  };
  await trickle(290);
  expect(answer).toBe('');
  // On a busy machine it may have begun some steps late.
  for (let waited = 0; answer === '' && waited < 60; waited += 5) await trickle(5);
  expect(answer).toContain('HTTP/1.1 400');
  expect(answer).toContain('The body did not come to its end in time.');
  socket.destroy();
});

test('one that holds its turn and hardly comes on is cut off', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const socket = await startLarge(half);
  let answer = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    answer += text;
  });
  for (let seconds = 0; seconds < 40 && answer === ''; seconds += 5) {
    socket.write('x');
    await delay(20);
    await vi.advanceTimersByTimeAsync(5_000);
  }
  await delay(50);
  expect(answer).toContain('HTTP/1.1 400');
  socket.destroy();
});

test('multipart bodies that have not begun to come keep nobody waiting', async () => {
  const silent = await Promise.all(
    Array.from({ length: 16 }, () => {
      const { promise, resolve } = Promise.withResolvers<Socket>();
      const socket = connect(service.port, '127.0.0.1', () => {
        socket.write(
          `POST /dataset/p/upload HTTP/1.1\r\nHost: 127.0.0.1:${service.port}\r\n` +
            `Authorization: ${bearer.authorization}\r\n` +
            'Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 3000000\r\n\r\n',
          () => resolve(socket),
        );
      });
      socket.on('error', () => {});
      return promise;
    }),
  );
  await delay(100);
  expect((await create(large)).status).toBe(201);
  for (const socket of silent) socket.destroy();
});

test('nobody has a large body taken in before showing a credential', async () => {
  const headers = { 'content-type': 'application/json' };
  const refused = await send(service, 'POST', '/ws/projects', headers, large);
  expect(refused.status).toBe(401);
  expect(json(refused)).toMatchObject({
    error: { hint: expect.stringContaining('Authorization: Bearer') },
  });
  const key = bearer.authorization.replace(/^Bearer /, '');
  const small = JSON.stringify({ name: 'x'.repeat(100_000), api_key: key });
  expect((await send(service, 'POST', '/ws/projects', headers, small)).status).toBe(201);
});

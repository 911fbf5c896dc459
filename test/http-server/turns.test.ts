// Large bodies take turns, so that many at once do not fill the memory; small ones do not wait.

import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { bearer, json, send, startTestService, type TestService } from './kit.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});

afterAll(() => service.close());

const large = Buffer.from(`{"name":"${'x'.repeat(2_000_000)}"}`);

/** Sends the head of a request and the first bytes of its large body: a good half of it. */
function startLarge(bytes = 1_200_000): Promise<Socket> {
  const { promise, resolve } = Promise.withResolvers<Socket>();
  const socket = connect(service.port, '127.0.0.1', () => {
    socket.write(
      `POST /ws/projects HTTP/1.1\r\nHost: 127.0.0.1:${service.port}\r\n` +
        `Authorization: ${bearer.authorization}\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${large.length}\r\n\r\n${large.toString('latin1', 0, bytes)}`,
      () => resolve(socket),
    );
  });
  socket.on('error', () => {});
  return promise;
}

function create(body: string | Buffer) {
  const headers = { ...bearer, 'content-type': 'application/json' };
  return send(service, 'POST', '/ws/projects', headers, body);
}

test('the seventeenth waits for one of the sixteen before it', async () => {
  const slow = await Promise.all(Array.from({ length: 16 }, () => startLarge()));
  // Before the bytes of all sixteen have come, there is room for another one.
  let seventeenth = create(large);
  for (let attempt = 1; attempt <= 20; attempt += 1) {
    if ((await Promise.race([seventeenth, delay(300, 'waits')])) === 'waits') break;
    seventeenth = create(large);
  }
  expect(await Promise.race([seventeenth, delay(100, 'waits')])).toBe('waits');
  expect(json(await create('{"name":"small"}'))).toMatchObject({ input: { name: 'small' } });
  slow[5]?.destroy();
  expect((await seventeenth).status).toBe(201);
  for (const socket of slow) socket.destroy();
});

test('a large body that has hardly begun to come keeps nobody waiting', async () => {
  const slow = await Promise.all(Array.from({ length: 40 }, () => startLarge(100_000)));
  await delay(100);
  expect((await create(large)).status).toBe(201);
  for (const socket of slow) socket.destroy();
});

test('who goes away while waiting keeps nobody else waiting', async () => {
  const slow = await Promise.all(Array.from({ length: 16 }, () => startLarge()));
  await delay(100);
  const impatient = await startLarge();
  await delay(100);
  impatient.resetAndDestroy();
  const next = create(large);
  await delay(100);
  for (const socket of slow.slice(1)) socket.destroy();
  expect((await next).status).toBe(201);
  slow[0]?.destroy();
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
  await trickle(20);
  expect(answer).toContain('HTTP/1.1 400');
  expect(answer).toContain('The body did not come to its end in time.');
  socket.destroy();
});

test('one that holds its turn and hardly comes on is cut off', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const socket = await startLarge();
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

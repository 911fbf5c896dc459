// Connections that ask for much at once, or for nothing, and whose address counts.

import { Agent, createServer, get, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { answerMalformedRequests } from '../../src/http-server/malformed-requests.ts';
import { platformErrorBody } from '../../src/http-server/responses.ts';
import { bearer, json, send, startTestService, type TestService } from './test-service.ts';

let service: TestService;

beforeEach(async () => {
  service = await startTestService();
});

afterEach(() => service.close());

function open(from = '127.0.0.1'): Promise<Socket> {
  const { promise, resolve } = Promise.withResolvers<Socket>();
  const socket = connect({ port: service.port, host: '127.0.0.1', localAddress: from }, () =>
    resolve(socket),
  );
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  return promise;
}

const requestFor = (path: string, more = '') =>
  `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${service.port}\r\n` +
  `Authorization: ${bearer.authorization}\r\n${more}\r\n`;

async function answerTo(text: string): Promise<string> {
  const socket = await open();
  socket.write(text);
  let answer = '';
  for await (const piece of socket.setEncoding('utf8')) answer += piece;
  return answer;
}

test('ten requests in one piece are answered in their order', async () => {
  const names = ['slow', 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
  const text = names.map((name) => requestFor(`/${name}`)).join('');
  const answer = await answerTo(text + requestFor('/last', 'Connection: close\r\n'));
  const found = [...answer.matchAll(/"workspace":"(\w+)"/g)].map(([, name]) => name);
  expect(found).toEqual([...names, 'last']);
});

test('a request waits until the one before it on its connection is answered', async () => {
  const socket = await open();
  socket.write(requestFor('/wait') + requestFor('/wait'));
  await new Promise((resolve) => setTimeout(resolve, 200));
  socket.destroy();
  await expect.poll(() => service.aborted.length).toBe(1);
  expect((await send(service, 'GET', '/', bearer)).status).toBe(200);
  expect(service.aborted.length).toBe(1);
});

test('a hundred requests in one piece cut their connection, and nothing else', async () => {
  const answer = await answerTo(requestFor('/slow').repeat(100)).catch(() => '');
  expect([...answer.matchAll(/"workspace"/g)].length).toBeLessThan(20);
  expect((await send(service, 'GET', '/', bearer)).status).toBe(200);
});

test('more connections than there is room for: silent ones go, and whoever has one asks on', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const ask = () => {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const options = { host: '127.0.0.1', port: service.port, path: '/', headers: bearer, agent };
    const asked = get(options, (response) => {
      response.resume().on('end', () => resolve([response.statusCode, asked.reusedSocket]));
    });
    asked.on('error', reject);
    return promise;
  };
  expect(await ask()).toEqual([200, false]);
  const first = await open();
  // In groups: the kernel queues few connections that the service has not accepted yet. It loses
  // others, and their clients take them for open.
  const silent: Socket[] = [];
  while (silent.length < 1_100) {
    silent.push(...(await Promise.all(Array.from({ length: 100 }, open))));
  }
  expect((await send(service, 'GET', '/', bearer)).status).toBe(200);
  expect(await ask()).toEqual([200, true]);
  await expect.poll(() => first.readyState, { timeout: 10_000 }).not.toBe('open');
  await expect
    .poll(() => silent.filter((socket) => socket.readyState === 'open').length, { timeout: 20_000 })
    .toBeLessThanOrEqual(1_000);
});

test('a proxy that is trusted says who calls; of anybody else the socket does', async () => {
  const proxied = await startTestService({
    trustedProxies: ['127.0.0.1'],
    authenticate: async (_presented, _place, address) => address,
  });
  onTestFinished(() => proxied.close());
  const principal = async (headers: Record<string, string>, from: TestService) => {
    const answer = await send(from, 'GET', '/', { ...bearer, ...headers });
    return json(answer);
  };
  const named = { 'x-forwarded-for': '203.0.113.9, 198.51.100.7' };
  expect(await principal(named, proxied)).toMatchObject({ principal: '198.51.100.7' });
  const forwarded = { forwarded: 'for="[2001:db8:1:2::7]:99"' };
  expect(await principal(forwarded, proxied)).toMatchObject({ principal: '2001:db8:1:2::/64' });
  const plain = await startTestService({
    authenticate: async (_presented, _place, address) => address,
  });
  onTestFinished(() => plain.close());
  expect(await principal(named, plain)).toMatchObject({ principal: '127.0.0.1' });
});

test('bodies that are refused before they are read leave nothing on their connection', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const warnings: string[] = [];
  const warned = ({ name }: Error) => warnings.push(name);
  process.on('warning', warned);
  onTestFinished(() => {
    process.off('warning', warned);
    agent.destroy();
  });
  const body = Buffer.alloc(1_000, ' ');
  const ask = () => {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const headers = { 'content-type': 'text/plain', 'content-length': body.length };
    const where = { host: '127.0.0.1', port: service.port, path: '/acme/projects' };
    const sent = request({ ...where, method: 'POST', headers, agent }, (response) => {
      response.resume().on('end', () => resolve([response.statusCode, sent.reusedSocket]));
    });
    sent.on('error', reject);
    sent.end(body);
    return promise;
  };
  expect(await ask()).toEqual([401, false]);
  for (let count = 1; count < 30; count += 1) expect(await ask()).toEqual([401, true]);
  // A warning comes a turn later.
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(warnings).toEqual([]);
});

test('a request that does not end in time may be sent again, and is told when', async () => {
  const times = { headersTimeout: 50, requestTimeout: 50, connectionsCheckingInterval: 10 };
  const hasty = createServer(times);
  onTestFinished(() => void hasty.close());
  answerMalformedRequests(hasty, platformErrorBody);
  const listening = Promise.withResolvers<void>();
  hasty.listen(0, '127.0.0.1', listening.resolve);
  await listening.promise;
  const { port } = Object(hasty.address());
  const socket = connect({ port, host: '127.0.0.1' });
  socket.write('POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Le');
  let answer = '';
  for await (const piece of socket.setEncoding('utf8')) answer += piece;
  expect(answer).toMatch(/^HTTP\/1\.1 408 [\s\S]*\nretry-after: ([5-9]|10)\r\n/);
  expect(answer).toContain('"type":"timed_out"');
});

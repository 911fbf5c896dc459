// A key that is revoked while a request with it is on its way.

import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { limits } from '../../../src/limits.ts';
import { startTestPlatform } from '../../fixtures/platform.ts';
import { makeKey, send } from '../api-key-requests.ts';

test('a key that is revoked while its request comes in makes no successor', async () => {
  const platform = await startTestPlatform();
  onTestFinished(() => platform.close());
  const admin = (line: string) => send(platform, platform.key, line);
  const { key, keyId } = await makeKey(platform, { name: 'Leaving' });
  const body = JSON.stringify({ name: 'Successor' });
  const { hostname, port } = new URL(platform.url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  let answer = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    answer += text;
  });
  socket.write(
    `POST /acme/api-keys HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer ${key}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`,
  );
  // Longer than the bound within which a body counts as of the moment of its credential.
  await delay(limits.credentialRecheckMs + 100);
  expect((await admin(`DELETE /acme/api-keys/${keyId}`)).status).toBe(200);
  socket.write(body.slice(5));
  await vi.waitUntil(() => answer !== '');
  expect(answer).toContain('HTTP/1.1 401');
  expect(JSON.stringify((await admin('GET /acme/api-keys')).body)).not.toContain('Successor');
});

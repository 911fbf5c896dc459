// The browser is on another machine: the person brings its final address.

import { expect, test } from 'vitest';
import { callbackOf, honestAnswer, lyingServer } from './lying-server.ts';
import { flowFor, soon, startOf, visit } from './test-sign-in-flow.ts';

async function unheard() {
  const server = await lyingServer();
  const fixture = flowFor(server, { listens: false, redirectPort: 8976 });
  const asked = await startOf(fixture.flow);
  server.lies['/token'] = () => server.tokens(asked.searchParams.get('nonce'));
  return { server, ...fixture, asked, honest: callbackOf(asked, honestAnswer(server, asked)) };
}

test('nothing listens, and the port of the settings is named', async () => {
  const { asked, honest } = await unheard();
  expect(asked.searchParams.get('redirect_uri')).toBe('http://127.0.0.1:8976/callback');
  await expect(visit(honest)).rejects.toThrow('fetch failed');
});

test.each([
  ['as it is', (address: string) => address],
  ['without its scheme, as browsers show it', (address: string) => address.slice(7)],
  [
    'broken over lines, as terminals do',
    (address: string) => `  ${address.slice(0, 40)}\n ${address.slice(40)}\r\n`,
  ],
])('an address %s signs in', async (_what, spoken) => {
  const { flow, honest } = await unheard();
  await flow.finishWith(spoken(honest.href));
  await flow.finished(soon());
  expect((await flow.status()).status).toBe('signed_in');
});

test.each([
  ['nothing', () => ''],
  ['a code alone', () => 'code-1'],
  ['another state', (honest: string) => honest.replace(/state=[^&]*/, 'state=x')],
  ['another port', (honest: string) => honest.replace(':8976', ':8977')],
  ['another path', (honest: string) => honest.replace('/callback', '/call')],
  ['another host', (honest: string) => honest.replace('127.0.0.1', 'localhost')],
  ['https', (honest: string) => honest.replace('http:', 'https:')],
  ['the address that was opened', (_honest: string, asked: string) => asked],
])('%s is refused, and the sign-in still waits', async (_what, spoken) => {
  const { flow, honest, asked, server } = await unheard();
  await expect(flow.finishWith(spoken(honest.href, asked.href))).rejects.toMatchObject({
    code: 'invalid_input',
    hint: expect.stringContaining('http://127.0.0.1:8976/callback?'),
  });
  expect(server.received.filter(({ line }) => line === 'POST /token')).toEqual([]);
  await flow.finishWith(honest.href);
  expect((await flow.status()).status).toBe('signed_in');
});

test('an address works once, and only while a sign-in is under way', async () => {
  const { flow, honest } = await unheard();
  await flow.finishWith(honest.href);
  await expect(flow.finishWith(honest.href)).rejects.toMatchObject({ code: 'conflict' });
});

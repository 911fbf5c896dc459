// An access token that a service refuses is renewed once, and the call made once more.

import { afterEach, expect, test } from 'vitest';
import { FoveaError } from '../../src/errors.ts';
import type { Client, ClientOptions, Upstream } from '../../src/http-client/client.ts';
import { Secret } from '../../src/secret.ts';
import {
  json,
  type MisbehavingServer,
  type Step,
  startMisbehavingServer,
} from '../fixtures/scripted-http-server.ts';
import {
  addThing,
  clientOf,
  errorOf,
  inThing,
  readEvent,
  readThing,
  readVideo,
  uploadThing,
} from './test-operations.ts';

const opened: (MisbehavingServer | Client)[] = [];

afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close();
});

const refused = json(401, { error: { message: 'token old-canary has ended', type: 'x' } });
const good = json(200, { name: 'cells' });

interface Started {
  readonly server: MisbehavingServer;
  readonly client: Client;
  /** The tokens for which another one was asked. */
  readonly renewals: string[];
}

/** A client that is signed in with `old`, and gets what `renew` gives. */
async function start(
  steps: readonly Step[],
  renew: Upstream['renew'] = async () => new Secret('new-canary'),
  options: Partial<ClientOptions> = {},
): Promise<Started> {
  const server = await startMisbehavingServer(...steps);
  const renewals: string[] = [];
  const base = async (): Promise<Upstream> => ({
    url: server.url,
    credential: new Secret('old-canary'),
    isAccessToken: true,
    renew: async (token, signal) => {
      renewals.push(token.reveal());
      return renew(token, signal);
    },
  });
  const device = async () => ({ url: server.url, credential: new Secret('device-key') });
  const client = clientOf(server.url, { upstreams: { base, device }, ...options });
  opened.push(server, client);
  return { server, client, renewals };
}

test('a refused token is renewed once, and the call is made again with the other', async () => {
  const { server, client, renewals } = await start([refused, good]);
  const reply = await client.call(readThing, inThing);
  expect(reply.body).toEqual({ name: 'cells' });
  const sent = server.seen.map(({ headers }) => headers.authorization);
  expect(sent).toEqual(['Bearer old-canary', 'Bearer new-canary']);
  expect(renewals).toEqual(['old-canary']);
});

test('a second 401 is the error: no loop', async () => {
  const { server, client, renewals } = await start([refused]);
  const error = await errorOf(client.call(readThing, inThing));
  expect(error).toMatchObject({
    code: 'unauthenticated',
    retry: 'never',
    hint: 'Call auth_sign_in, or run fovea sign-in.',
  });
  expect(server.seen).toHaveLength(2);
  expect(renewals).toEqual(['old-canary']);
});

test('without another token the first 401 is the error', async () => {
  const { server, client } = await start([refused], async () => undefined);
  const error = await errorOf(client.call(readThing, inThing));
  expect(error).toMatchObject({ code: 'unauthenticated', upstream: { status: 401 } });
  expect(server.seen).toHaveLength(1);
});

test('what went wrong with the renewal reaches the caller', async () => {
  const { server, client } = await start([refused], async () => {
    throw new FoveaError('unauthenticated', 'The sign-in has ended.');
  });
  await expect(client.call(readThing, inThing)).rejects.toThrow('The sign-in has ended.');
  expect(server.seen).toHaveLength(1);
});

test('a write that was refused is made again with the same body', async () => {
  const { server, client } = await start([refused, good]);
  await client.call(addThing, { workspace: 'acme', name: 'a' });
  const bodies = server.seen.map(({ body }) => body.toString());
  expect(bodies).toEqual(['{"name":"a"}', '{"name":"a"}']);
});

test('files are sent again whole', async () => {
  const { server, client } = await start([refused, good]);
  const file = { name: 'a.bin', content: Buffer.from('content') };
  await client.call(uploadThing, { project: 'cells', file });
  expect(server.seen).toHaveLength(2);
  for (const { body } of server.seen) expect(body.toString()).toContain('\r\n\r\ncontent\r\n');
});

test.each([
  ['400', json(400, {})],
  ['403', json(403, {})],
  ['404', json(404, {})],
])('a %s renews nothing', async (_, step) => {
  const { client, renewals, server } = await start([step]);
  await errorOf(client.call(readThing, inThing));
  expect(renewals).toEqual([]);
  expect(server.seen).toHaveLength(1);
});

test('an API key is not renewed', async () => {
  const server = await startMisbehavingServer(refused);
  const client = clientOf(server.url);
  opened.push(server, client);
  const error = await errorOf(client.call(readThing, inThing));
  expect(error.hint).toBe('Set FOVEA_API_KEY to a valid key.');
  expect(server.seen).toHaveLength(1);
});

test('a token goes into the header, also where a key goes into the query', async () => {
  const { server, client } = await start([json(200, { status: 1 })]);
  await client.call(readVideo, { job_id: 'j' });
  expect(server.seen[0]?.url).toBe('/videoinfer/?job_id=j');
  expect(server.seen[0]?.headers.authorization).toBe('Bearer old-canary');
});

test('the Event Store keeps its key', async () => {
  const { server, client, renewals } = await start([refused]);
  await errorOf(client.call(readEvent, {}));
  expect(server.seen[0]?.headers['x-api-key']).toBe('device-key');
  expect(server.seen[0]?.headers.authorization).toBe(undefined);
  expect(renewals).toEqual([]);
});

test('neither token is in an error, whichever of them the service repeats', async () => {
  const repeated = json(401, { error: { message: 'bad token new-canary', type: 'x' } });
  const { client } = await start([refused, repeated]);
  const error = await errorOf(client.call(readThing, inThing));
  expect(JSON.stringify([error.message, error.hint, error.upstream])).not.toContain('canary');
  expect(error.upstream?.message).toBe('bad token [secret]');
});

test('a renewal counts against the deadline of the call', async () => {
  const never = () => new Promise<undefined>(() => undefined);
  const { client } = await start([refused], never, { timeoutMs: 300 });
  const error = await errorOf(client.call(readThing, inThing));
  expect(error).toMatchObject({ code: 'timed_out' });
});

test('a caller that gives up during a renewal is told that nothing was carried out', async () => {
  const controller = new AbortController();
  const { client } = await start([refused], async () => {
    controller.abort();
    return new Promise(() => undefined);
  });
  const call = client.call(addThing, { workspace: 'acme', name: 'a' }, controller);
  expect(await errorOf(call)).toMatchObject({ code: 'cancelled', retry: 'safe' });
});

test('a 403 for a token says which scope the sign-in lacks', async () => {
  const { client } = await start([json(403, {})]);
  const error = await errorOf(client.call(readThing, inThing));
  expect(error.hint).toBe(
    'The sign-in may lack the scope project:read: sign out, then sign in again with it (FOVEA_SCOPES).',
  );
});

test('a service that is signed in to elsewhere says what helps there', async () => {
  const server = await startMisbehavingServer(refused);
  const base = async (): Promise<Upstream> => ({
    url: server.url,
    credential: new Secret('old-canary'),
    isAccessToken: true,
    refusedHint: 'Ask the operator.',
  });
  const client = clientOf(server.url, { upstreams: { base, device: base } });
  opened.push(server, client);
  const error = await errorOf(client.call(readThing, inThing));
  expect(error).toMatchObject({ code: 'unauthenticated', hint: 'Ask the operator.' });
});

test('where a sign-in is of no use, no hint proposes it', async () => {
  const server = await startMisbehavingServer(good);
  const base = async (): Promise<Upstream> => ({ url: server.url, credential: undefined });
  const upstreams = { base, device: base, serverless: base };
  const client = clientOf(server.url, { upstreams });
  opened.push(server, client);
  const models = { ...readThing, host: 'serverless' } as const;
  expect((await errorOf(client.call(models, inThing))).hint).toBe(
    'Set FOVEA_API_KEY: a sign-in is of no use there. Nothing was sent.',
  );
  expect((await errorOf(client.call(readThing, inThing))).hint).toBe(
    'Set FOVEA_API_KEY, or sign in with auth_sign_in. Nothing was sent.',
  );
});

// Keys: they outlive the process, and are replaced before anybody notices.

import { createPublicKey, verify } from 'node:crypto';
import { expect, onTestFinished, test, vi } from 'vitest';
import {
  answerOf,
  signIn,
  startTestAuthorizationServer,
  type TestAuthorizationServer,
} from '../fixtures/authorization-server.ts';

const startMs = 1_767_225_600_000;
const dayMs = 24 * 60 * 60 * 1_000;

async function start(data?: string) {
  const service = await startTestAuthorizationServer({
    inSources: true,
    ...(data === undefined ? { makesKey: true } : { data }),
  });
  onTestFinished(service.close);
  return service;
}

function holdClock(): (days: number) => void {
  vi.useFakeTimers({ toFake: ['Date'], now: startMs });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  return (days) => vi.setSystemTime(startMs + days * dayMs);
}

async function publishedKeys({ url }: TestAuthorizationServer) {
  const { body } = await answerOf(await fetch(`${url}/.well-known/jwks.json`));
  const keys: unknown = body.keys;
  if (!Array.isArray(keys)) throw new Error('There are no keys.');
  return keys.map((key) => ({ ...Object(key) }));
}

const publishedIds = async (service: TestAuthorizationServer) =>
  (await publishedKeys(service)).map(({ kid }) => String(kid)).toSorted();

/** Signs in; the id of the key that signed, which must be among those published. */
async function signerOf(service: TestAuthorizationServer): Promise<string> {
  const { idToken } = await signIn(service, service.applications.public);
  const [header = '', claims = '', signature = ''] = idToken.split('.');
  const { kid, alg } = JSON.parse(Buffer.from(header, 'base64url').toString());
  expect(alg).toBe('RS256');
  const jwk = (await publishedKeys(service)).find((key) => key.kid === kid);
  const key = createPublicKey({ key: { ...jwk }, format: 'jwk' });
  const isRight = verify(
    'sha256',
    Buffer.from(`${header}.${claims}`),
    key,
    Buffer.from(signature, 'base64url'),
  );
  expect(isRight).toBe(true);
  return String(kid);
}

test('a service that starts anew, and a second one over the same folder, sign with one key', async () => {
  const service = await start();
  const first = await signerOf(service);
  const other = await start(service.data);
  expect(await signerOf(other)).toBe(first);
  expect(await publishedIds(other)).toEqual([first]);
});

test('a key is published a day before it signs, and the old one a week after', async () => {
  const at = holdClock();
  const service = await start();
  const first = await signerOf(service);
  at(88.9);
  expect(await publishedIds(service)).toEqual([first]);
  expect(await signerOf(service)).toBe(first);
  at(89);
  const both = await publishedIds(service);
  expect(both).toHaveLength(2);
  expect(both).toContain(first);
  const [second] = both.filter((kid) => kid !== first);
  at(89.99);
  expect(await signerOf(service)).toBe(first);
  at(90);
  expect(await signerOf(service)).toBe(second);
  expect(await publishedIds(service)).toEqual(both);
  at(96.9);
  expect(await publishedIds(service)).toEqual(both);
  at(97);
  expect(await publishedIds(service)).toEqual([second]);
  expect(await signerOf(service)).toBe(second);
});

test('after a long sleep the old key signs until the new one was published for a day', async () => {
  const at = holdClock();
  const service = await start();
  const first = await signerOf(service);
  at(400);
  const next = await start(service.data);
  expect(await signerOf(next)).toBe(first);
  const ids = await publishedIds(next);
  expect(ids).toHaveLength(2);
  at(401);
  expect(await signerOf(next)).not.toBe(first);
  expect(await publishedIds(next)).toEqual(ids);
});

test('of two services that find a key due only one adds it', async () => {
  const at = holdClock();
  const service = await start();
  const other = await start(service.data);
  at(89);
  await Promise.all([publishedIds(service), publishedIds(other), publishedIds(service)]);
  expect(await publishedIds(service)).toHaveLength(2);
  at(89.1);
  expect(await publishedIds(other)).toEqual(await publishedIds(service));
});

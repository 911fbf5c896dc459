// When an API key was used last.

import { expect, onTestFinished, test } from 'vitest';
import { startTestPlatform } from '../fixtures/platform.ts';
import { settableClock } from '../fixtures/settable-clock.ts';
import { makeKey, send } from './api-key-requests.ts';

test('of a key the last use is told to the hour', async () => {
  const clock = settableClock(Date.UTC(2026, 10, 20, 12));
  const own = await startTestPlatform({ clock });
  onTestFinished(() => own.close());
  const { key, keyId } = await makeKey(own, { name: 'Camera' });
  const lastUse = async () => {
    const { body } = await send(own, own.key, `GET /acme/api-keys/${keyId}`);
    return Object(Object(body).apiKey).last_used_on;
  };
  expect(await lastUse()).toBe(null);
  await send(own, key, 'GET /');
  expect(await lastUse()).toBe('2026-11-20T12:00:00.000Z');
  clock.advance(59 * 60_000);
  await send(own, key, 'GET /');
  expect(await lastUse()).toBe('2026-11-20T12:00:00.000Z');
  clock.advance(60_000);
  await send(own, key, 'GET /');
  expect(await lastUse()).toBe('2026-11-20T13:00:00.000Z');
  await send(own, own.key, `PATCH /acme/api-keys/${keyId}`, { disabled: true });
  clock.advance(60 * 60_000);
  expect((await send(own, key, 'GET /')).status).toBe(401);
  expect(await lastUse()).toBe('2026-11-20T13:00:00.000Z');
  // A use is no change.
  const { body } = await send(own, own.key, 'GET /acme/activity-log?kind=api_key');
  expect(Object(body).total).toBe(2);
});

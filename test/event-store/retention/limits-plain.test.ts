// Events without images count by their rows, however large the files of others are.

import { expect, onTestFinished, test } from 'vitest';
import { openTestEventStore, plainEvent } from '../../fixtures/event-store.ts';

const mebibyte = 1024 * 1024;

test('are taken in where the only event is held and has large files', async () => {
  const service = await openTestEventStore({ settings: { MAX_BYTES: String(4 * mebibyte) } });
  onTestFinished(() => service.close());
  const { post, upload } = service;
  const held = (await post('/v2/events', { ...plainEvent, draft: true })).text('id');
  const file = new Uint8Array(2 * mebibyte);
  const attached = await upload(`/v2/events/${held}/local-only-files`, [['file', file]]);
  expect(attached.status).toBe(201);
  expect((await post(`/v2/events/${held}/hold`, { reason: 'Evidence.' })).status).toBe(200);
  expect((await post('/v2/events', plainEvent)).status).toBe(201);
  const labelled = { ...plainEvent, images: [{ label: 'No picture.' }] };
  expect((await post('/v2/events', labelled)).status).toBe(201);
  const atOnce = Array.from({ length: 16 }, () => post('/v2/events', plainEvent));
  const answers = await Promise.all(atOnce);
  expect(answers.map(({ status }) => status)).toEqual(Array(16).fill(201));
});

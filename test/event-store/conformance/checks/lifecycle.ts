// What time and limits do to events where no cloud is: the sweep of drafts, retention, capacity.

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Check, type Context, check } from '../check.ts';
import { base64, bytesOf, clip, filePart, multipart, multipartType, photo } from '../samples.ts';
import {
  attach,
  attachment,
  count,
  create,
  eventOf,
  expectErrorBody,
  finalize,
  formOf,
  read,
  stored,
  until,
} from '../steps.ts';

export const sweepChecks: readonly Check[] = [
  check(
    'the sweep finalizes a forgotten draft',
    ['8.4', '16.3', '6.18', '6.17'],
    async (context) => {
      const { id } = await stored(context, { draft: true });
      await until('the draft is finalized', async () => !(await read(context, id)).draft);
      const event = await read(context, id);
      assert.ok((event.finalized_at ?? '') > event.created_at, 'finalized_at');
      assert.ok((event.auto_finalized_at ?? '') > event.created_at, 'auto_finalized_at');
      const late = await context.client.send(attachment(id, 'videos', { body: formOf(clip) }));
      assert.equal(late.status, 409);
      const again = await finalize(context, id);
      assert.equal(again.already_finalized, true);
      assert.equal(again.auto_finalized_at, event.auto_finalized_at);
    },
  ),
  check('the sweep while a file is on its way', ['8.4', '8.6', '8.7'], async (context) => {
    const { id } = await stored(context, { draft: true });
    const request = context.client.open(`/v2/events/${id}/videos`, multipartType);
    const body = multipart(filePart(clip));
    for (let at = 0; at < body.length; at += 60) {
      request.write(body.slice(at, at + 60));
      await sleep(100);
    }
    request.end();
    const { status } = await request.reply;
    assert.ok(status === 201 || status === 409, `${status}`);
    assert.equal((await read(context, id)).videos.length, status === 201 ? 1 : 0);
    await until('the draft is finalized', async () => !(await read(context, id)).draft);
  }),
  check('the sweep leaves what a producer finalized', ['8.4', '6.18', '8.3'], async (context) => {
    const [swept, own] = [
      await stored(context, { draft: true }),
      await stored(context, { draft: true }),
    ];
    await finalize(context, own.id);
    await until('the other is finalized', async () => !(await read(context, swept.id)).draft);
    assert.equal((await read(context, own.id)).auto_finalized_at, null);
  }),
];

export const retentionChecks: readonly Check[] = [
  check('retention removes events with their files', ['2.7', '8.2'], async (context) => {
    const images = [{ base64Image: base64(photo.jpeg) }];
    const event = await stored(context, { images });
    await until('the event is gone', () => isGone(context, `/v2/events/${event.id}`));
    await until('its image', () => isGone(context, `/images/${event.images[0]?.file_id}`));
    assert.equal((await count(context, { device_id: context.device })).filtered_count, 0);
  }),
  check('and drafts with theirs', ['8.9', '2.7'], async (context) => {
    const { id } = await create(context, eventOf(context, { draft: true }));
    const video = await attach(context, id, 'videos', clip);
    const file = await attach(context, id, 'local-only-files', bytesOf('log'));
    await until('the draft is gone', () => isGone(context, `/v2/events/${id}`));
    await until('its video', () => isGone(context, `/videos/${video.file_id}`));
    await until('its file', () => isGone(context, `/local-only-files/${file.file_id}`));
  }),
];

/** The store holds six events at most. */
export const recordChecks: readonly Check[] = [
  check('capacity cleanup removes the oldest, drafts too', ['2.8', '8.9'], async (context) => {
    const draft = await create(context, eventOf(context, { draft: true }));
    const video = await attach(context, draft.id, 'videos', clip);
    const ids: string[] = [];
    for (let index = 0; index < 12; index += 1)
      ids.push((await create(context, eventOf(context))).id);
    await until('six are left', async () => (await count(context)).total_count <= 6);
    await until('the draft is gone', () => isGone(context, `/v2/events/${draft.id}`));
    await until('its video is', () => isGone(context, `/videos/${video.file_id}`));
    await read(context, ids.at(-1) ?? '');
    await until('the oldest is gone', () => isGone(context, `/v2/events/${ids[0]}`));
  }),
];

export const brokenChecks: readonly Check[] = [
  check('what cannot be stored', ['15.21', '15.1', '18.6'], async (context) => {
    const images = [{ base64Image: base64(photo.jpeg) }];
    const json = eventOf(context, { images });
    const reply = await context.client.send({ method: 'POST', path: '/v2/events', json });
    assert.equal(reply.status, 500);
    expectErrorBody('/v2/events', 500, reply.json);
    assert.equal((await count(context, { device_id: context.device })).filtered_count, 0);
  }),
  check('a file that cannot be stored', ['15.21', '15.1'], async (context) => {
    const { id } = await stored(context, { draft: true });
    const call = attachment(id, 'local-only-files', { body: formOf(clip) });
    const reply = await context.client.send(call);
    assert.equal(reply.status, 500);
    expectErrorBody(call.path, 500, reply.json);
    const event = await read(context, id);
    assert.deepEqual([event.draft, event.local_only_files], [true, []]);
  }),
];

async function isGone(context: Context, path: string): Promise<boolean> {
  return (await context.client.send({ path })).status === 404;
}

// Cloud upload: what goes, what stays, and what happens when the store is full of what waits.

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Call } from '../../../conformance/http.ts';
import { type Check, type Context, check } from '../check.ts';
import { base64, bytesOf, clip, photo } from '../samples.ts';
import {
  attach,
  attachment,
  contents,
  count,
  create,
  eventOf,
  expectErrorBody,
  finalize,
  formOf,
  read,
  refusedEvents,
  until,
} from '../steps.ts';

/** No default solution; what is uploaded or never waits is removed after three seconds. */
export const cloudChecks: readonly Check[] = [
  check('solution is required', ['3.2', '15.5', '15.1', '18.6'], (context) =>
    refusedEvents(context, 400, [eventOf(context), eventOf(context, { solution: null })]),
  ),
  check('finalized events go to the cloud', ['2.5', '14.2'], async (context) => {
    const images = [{ base64Image: base64(photo.jpeg), inputBase64Image: base64(photo.png) }];
    const { id } = await create(context, eventOf(context, { solution: 'line-3', images }));
    await until('the event is uploaded', async () => sent(context, id) !== undefined);
    const event = sent(context, id);
    assert.deepEqual(
      [event?.eventType, event?.useCaseId, event?.eventData, event?.deviceId],
      ['custom', 'line-3', { value: 'seen' }, context.device],
    );
    const [image] = Array.isArray(event?.images) ? event.images : [];
    assert.match(String(Object(image).sourceId), /^source-/);
    assert.match(String(Object(image).inputSourceId), /^source-/);
    const bytes = context.cloud.images();
    assert.ok(bytes.some((body) => holds(body, photo.jpeg)));
    assert.ok(bytes.some((body) => holds(body, photo.png)));
  }),
  check('drafts and local-only files', ['2.6', '8.1', '8.8', '6.8', '14.2'], async (context) => {
    const solution = 'line-3';
    const draft = await create(context, eventOf(context, { solution, draft: true }));
    const secret = bytesOf('a log that must not leave the device');
    await attach(context, draft.id, 'local-only-files', secret);
    await attach(context, draft.id, 'videos', clip);
    const later = await create(context, eventOf(context, { solution }));
    await until('a later event is uploaded', async () => sent(context, later.id) !== undefined);
    await until('and removed', async () => {
      const { status } = await context.client.send({ path: `/v2/events/${later.id}` });
      return status === 404;
    });
    // The draft is older than what retention removed by now.
    assert.equal((await read(context, draft.id)).draft, true);
    assert.equal(sent(context, draft.id), undefined);
    await finalize(context, draft.id);
    await until('the draft is uploaded', async () => sent(context, draft.id) !== undefined);
    assert.ok(!context.cloud.images().some((body) => holds(body, secret)));
    assert.ok(!JSON.stringify(context.cloud.events()).includes('must not leave'));
  }),
  check('while the cloud is away nothing is removed', ['2.5', '8.8'], async (context) => {
    context.cloud.setOpen(false);
    const { id } = await create(context, eventOf(context, { solution: 'line-3' }));
    await sleep(4_500);
    assert.equal((await read(context, id)).draft, false);
    context.cloud.setOpen(true);
    await until('the event is uploaded', async () => sent(context, id) !== undefined);
  }),
];

/** DEFAULT_SOLUTION_ID is line-3; the store holds six events at most. */
export const capacityChecks: readonly Check[] = [
  check('the default solution', ['3.2', '18.9'], async (context) => {
    const { id } = await create(context, eventOf(context));
    await until('it is uploaded', async () => sent(context, id)?.useCaseId === 'line-3');
  }),
  check(
    '529 until uploads drain',
    ['2.9', '9.11', '15.22', '15.23', '16.4', '8.8', '18.6'],
    async (context) => {
      context.cloud.setOpen(false);
      const draft = await create(context, eventOf(context, { draft: true }));
      const create1: Call = { method: 'POST', path: '/v2/events', json: eventOf(context) };
      const ids = [draft.id];
      await until('it is full', async () => {
        const reply = await context.client.send(create1);
        if (reply.status === 201) ids.push(String(Object(reply.json).id));
        assert.ok(ids.length <= 7, 'it takes more than its limit');
        return reply.status !== 201;
      });
      const before = await contents(context);
      const kinds = ['videos', 'local-only-files'] as const;
      const attachments = kinds.map((kind) => attachment(draft.id, kind, { body: formOf(clip) }));
      for (const call of [create1, ...attachments]) await blocked(context, call);
      assert.deepEqual(await contents(context), before);
      for (const id of ids) await read(context, id);
      assert.equal((await count(context)).total_count, 6);
      context.cloud.setOpen(true);
      await until('it takes events again', async () => {
        return (await context.client.send(create1)).status === 201;
      });
      assert.equal((await read(context, draft.id)).draft, true);
      await attach(context, draft.id, 'videos', clip);
    },
  ),
];

async function blocked(context: Context, call: Call): Promise<void> {
  const { status, json } = await context.client.send(call);
  assert.equal(status, 529, `${call.path}: ${JSON.stringify(json)}`);
  expectErrorBody(call.path, 529, json);
}

function sent(context: Context, id: string): Readonly<Record<string, unknown>> | undefined {
  return context.cloud.events().find(({ eventId }) => eventId === id);
}

function holds(body: Buffer, content: Uint8Array): boolean {
  return body.includes(Buffer.from(content));
}

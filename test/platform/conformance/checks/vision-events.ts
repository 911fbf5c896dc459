// Vision events: one, a batch, and their images.

import assert from 'node:assert/strict';
import { randomInt, randomUUID } from 'node:crypto';
import * as z from 'zod';
import { picture } from '../../../fixtures/pictures.ts';
import { check, type FamilyChecks, type Kit } from '../check.ts';
import { ask, askFor, refused } from '../steps.ts';

const uploaded = z.looseObject({ sourceId: z.string().min(1) });
const created = z.looseObject({ eventId: z.string().min(1) });
const createdBatch = z.looseObject({ created: z.int(), eventIds: z.array(z.string()) });

async function uploadImage(kit: Kit): Promise<string> {
  const body = new FormData();
  const image = await picture(randomInt(65_536));
  body.set('file', new Blob([Uint8Array.from(image)]), 'frame.png');
  return (await askFor(kit, uploaded, { path: '/vision-events/upload', body })).sourceId;
}

function eventNow() {
  return {
    eventId: randomUUID(),
    eventType: 'quality_check',
    useCaseId: 'conformance',
    timestamp: new Date().toISOString(),
  };
}

/** An event with one image, in which this was seen. */
export async function eventWith(kit: Kit, objectDetections: readonly object[]) {
  return { ...eventNow(), images: [{ sourceId: await uploadImage(kit), objectDetections }] };
}

export const visionEventChecks: FamilyChecks = {
  default: [
    check('an event is recorded once', ['21.1', '21.4'], async (kit) => {
      const json = eventNow();
      const path = '/vision-events';
      assert.equal((await askFor(kit, created, { path, json }, 201)).eventId, json.eventId);
      await ask(kit, { path, json }, 201);
      await refused(kit, { path, json: { ...json, deviceId: 'another' } }, 409);
      for (const member of ['eventType', 'useCaseId', 'timestamp', 'eventId']) {
        await refused(kit, { path, json: { ...json, [member]: undefined } }, 400);
      }
      await refused(kit, { path, json: { ...eventNow(), eventType: 'party' } }, 400);
      await refused(kit, { path, json: { ...eventNow(), timestamp: 'today' } }, 400);
    }),
    check('a batch of events is whole or nothing', ['21.2'], async (kit) => {
      const path = '/vision-events/batch';
      const events = [eventNow(), eventNow()];
      const made = await askFor(kit, createdBatch, { path, json: { events } }, 201);
      assert.equal(made.created, 2);
      assert.deepEqual(
        made.eventIds,
        events.map(({ eventId }) => eventId),
      );
      const fresh = eventNow();
      const wrong = { ...eventNow(), timestamp: '1970-01-01T00:00:00Z' };
      await refused(kit, { path, json: { events: [fresh, wrong] } }, 400);
      const again = await askFor(kit, createdBatch, { path, json: { events: [fresh] } }, 201);
      assert.equal(again.created, 1);
      await refused(kit, { path, json: { events: [] } }, 400);
    }),
    check('an event refers to images that were uploaded', ['21.3', '21.5'], async (kit) => {
      const json = await eventWith(kit, []);
      await ask(kit, { path: '/vision-events', json }, 201);
      const unknown = { ...eventNow(), images: [{ sourceId: 'nobody-has-this' }] };
      await refused(kit, { path: '/vision-events', json: unknown }, 400);
      const body = new FormData();
      body.set('file', new Blob(['no image']), 'frame.png');
      await refused(kit, { path: '/vision-events/upload', body }, 415);
    }),
  ],
};

// Vision events: one, a batch, and their images.

import assert from 'node:assert/strict';
import { randomInt, randomUUID } from 'node:crypto';
import * as z from 'zod';
import { testImage } from '../../../fixtures/images.ts';
import { type Context, check, type FamilyChecks } from '../check.ts';
import { ask, askFor, refused } from '../steps.ts';

const uploaded = z.looseObject({ sourceId: z.string().min(1) });
const created = z.looseObject({ eventId: z.string().min(1) });
const createdBatch = z.looseObject({ created: z.int(), eventIds: z.array(z.string()) });

const page = z.looseObject({
  events: z.array(z.looseObject({ eventId: z.string() })),
  nextCursor: z.string().nullable(),
  hasMore: z.boolean(),
});
const useCase = z.looseObject({ id: z.string().min(1), name: z.string() });
const useCaseList = z.looseObject({ useCases: z.array(useCase) });
const described = z.looseObject({ fields: z.record(z.string(), z.looseObject({})) });

const useCases = '/vision-events/use-cases';

function newUseCase(context: Context) {
  const json = { name: `Conformance ${randomUUID()}` };
  return askFor(context, useCase, { path: useCases, json }, 201);
}

function minutesAgo(minutes: number): string {
  return new Date(Date.now() - minutes * 60_000).toISOString();
}

async function uploadImage(context: Context): Promise<string> {
  const body = new FormData();
  const image = await testImage(randomInt(65_536));
  body.set('file', new Blob([Uint8Array.from(image)]), 'frame.png');
  return (await askFor(context, uploaded, { path: '/vision-events/upload', body })).sourceId;
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
export async function eventWith(context: Context, objectDetections: readonly object[]) {
  return { ...eventNow(), images: [{ sourceId: await uploadImage(context), objectDetections }] };
}

export const visionEventChecks: FamilyChecks = {
  default: [
    check('an event is recorded once', ['21.1', '21.4'], async (context) => {
      const json = eventNow();
      const path = '/vision-events';
      assert.equal((await askFor(context, created, { path, json }, 201)).eventId, json.eventId);
      await ask(context, { path, json }, 201);
      await refused(context, { path, json: { ...json, deviceId: 'another' } }, 409);
      for (const member of ['eventType', 'useCaseId', 'timestamp', 'eventId']) {
        await refused(context, { path, json: { ...json, [member]: undefined } }, 400);
      }
      await refused(context, { path, json: { ...eventNow(), eventType: 'party' } }, 400);
      await refused(context, { path, json: { ...eventNow(), timestamp: 'today' } }, 400);
    }),
    check('a batch of events is whole or nothing', ['21.2'], async (context) => {
      const path = '/vision-events/batch';
      const events = [eventNow(), eventNow()];
      const made = await askFor(context, createdBatch, { path, json: { events } }, 201);
      assert.equal(made.created, 2);
      assert.deepEqual(
        made.eventIds,
        events.map(({ eventId }) => eventId),
      );
      const fresh = eventNow();
      const wrong = { ...eventNow(), timestamp: '1970-01-01T00:00:00Z' };
      await refused(context, { path, json: { events: [fresh, wrong] } }, 400);
      const again = await askFor(context, createdBatch, { path, json: { events: [fresh] } }, 201);
      assert.equal(again.created, 1);
      await refused(context, { path, json: { events: [] } }, 400);
    }),
    check('an event refers to images that were uploaded', ['21.3', '21.5'], async (context) => {
      const json = await eventWith(context, []);
      await ask(context, { path: '/vision-events', json }, 201);
      const unknown = { ...eventNow(), images: [{ sourceId: 'nobody-has-this' }] };
      await refused(context, { path: '/vision-events', json: unknown }, 400);
      const body = new FormData();
      body.set('file', new Blob(['no image']), 'frame.png');
      await refused(context, { path: '/vision-events/upload', body }, 415);
    }),
    check('events of a use case are read back', ['21.6', '21.7', '21.8'], async (context) => {
      const { id: useCaseId } = await newUseCase(context);
      const events = [0, 1, 2].map((minutes) => ({
        ...eventNow(),
        useCaseId,
        timestamp: minutesAgo(minutes),
        customMetadata: { line: 3 },
      }));
      await ask(context, { path: '/vision-events/batch', json: { events } }, 201);
      const query = (more: object) =>
        askFor(context, page, { path: '/vision-events/query', json: { useCaseId, ...more } });
      const first = await query({ limit: 2 });
      assert.equal(first.hasMore, true);
      const second = await query({ limit: 2, cursor: first.nextCursor });
      assert.equal(second.hasMore, false);
      const found = [...first.events, ...second.events].map(({ eventId }) => eventId);
      assert.deepEqual(
        found,
        events.map(({ eventId }) => eventId),
      );
      const filter = { field: 'line', operator: 'gt', value: 3, type: 'number' };
      const none = await query({ eventType: 'quality_check', customMetadataFilters: [filter] });
      assert.deepEqual(none.events, []);
      const json = { useCaseId, colour: 'red' };
      await refused(context, { path: '/vision-events/query', json }, 400);
    }),
    check('use cases are managed', ['21.9', '21.10'], async (context) => {
      const { id, name } = await newUseCase(context);
      await refused(context, { path: useCases, json: { name } }, 409);
      const json = { name: `${name} renamed` };
      const renamed = await askFor(context, useCase, {
        method: 'PUT',
        path: `${useCases}/${id}`,
        json,
      });
      assert.equal(renamed.name, json.name);
      await ask(context, { method: 'POST', path: `${useCases}/${id}/archive` }, 200);
      const isListed = async (status: string) => {
        const list = await askFor(context, useCaseList, { path: `${useCases}?status=${status}` });
        return list.useCases.some((one) => one.id === id);
      };
      assert.deepEqual([await isListed('active'), await isListed('inactive')], [false, true]);
      await ask(context, { method: 'POST', path: `${useCases}/${id}/unarchive` }, 200);
      assert.equal(await isListed('active'), true);
    }),
    check('custom metadata is described', ['21.11'], async (context) => {
      const { id: useCaseId } = await newUseCase(context);
      const json = { ...eventNow(), useCaseId, customMetadata: { line: 3, shift: 'night' } };
      await ask(context, { path: '/vision-events', json }, 201);
      const path = `/vision-events/custom-metadata-schema/${useCaseId}`;
      const { fields } = await askFor(context, described, { path });
      assert.deepEqual(fields, { line: { types: ['number'] }, shift: { types: ['string'] } });
    }),
  ],
};

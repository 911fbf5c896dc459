// Use cases of vision events over HTTP: made, found, renamed, archived.

import { afterAll, beforeAll, expect, it } from 'vitest';
import * as z from 'zod';
import { startTestPlatform, type TestPlatform } from '../fixtures/platform.ts';
import { at, eventRequests } from './vision-event-requests.ts';

let platform: TestPlatform;

beforeAll(async () => {
  platform = await startTestPlatform();
});

afterAll(() => platform.close());

const { tell, record, query, idsOf, refusal } = eventRequests(() => platform);

const line = (id: string, verb = '') => `/vision-events/use-cases/${id}${verb}`;
const made = (name: string) => tell('POST /vision-events/use-cases', { name });
const named = async (status?: string) => {
  const { body } = await tell(`GET /vision-events/use-cases${status ? `?status=${status}` : ''}`);
  const list = z.object({ useCases: z.array(z.looseObject({ id: z.string() })) }).parse(body);
  return new Map(list.useCases.map((one) => [one.id, one]));
};

it('are made with a name, and have its slug as their id', async () => {
  const first = { id: 'parts-labels', name: 'Parts & Labels', status: 'active' };
  expect(await made('Parts & Labels')).toMatchObject({ status: 201, body: first });
  const again = await refusal('POST /vision-events/use-cases', { name: 'Parts & Labels' });
  expect(again).toEqual([409, 'There is a use case of the name "Parts & Labels" already.']);
  const alike = await made('parts labels');
  expect(alike).toMatchObject({ status: 201, body: { name: 'parts labels' } });
  expect(Object(alike.body).id).not.toBe('parts-labels');
  expect(await made('部品')).toMatchObject({ status: 201, body: { name: '部品' } });
});

it('are there once an event names them', async () => {
  await record({ useCaseId: 'By event', eventId: 'u1' });
  await record({ useCaseId: 'By event', eventId: 'u2' });
  await record({ useCaseId: 'By event', eventId: 'u2' });
  expect((await named()).get('By event')).toEqual({
    id: 'By event',
    name: 'By event',
    status: 'active',
    eventCount: 2,
  });
  expect((await made('By event')).status).toBe(409);
});

it('take another name, and keep their id and events', async () => {
  await made('Before');
  await record({ useCaseId: 'before', eventId: 'kept' });
  const renamed = await tell(`PUT ${line('before')}`, { name: 'After' });
  expect(renamed).toMatchObject({
    status: 200,
    body: { id: 'before', name: 'After', eventCount: 1 },
  });
  expect(await idsOf({ useCaseId: 'before' })).toEqual(['kept']);
  expect((await tell(`PUT ${line('before')}`, { name: 'After' })).status).toBe(200);
  await made('Taken');
  expect(await refusal(`PUT ${line('before')}`, { name: 'Taken' })).toEqual([
    409,
    'There is a use case of the name "Taken" already.',
  ]);
  expect(await refusal(`PUT ${line('before')}`, { name: '' })).toEqual([
    400,
    expect.stringMatching(/^name: /),
  ]);
});

it('are found by their name as by their id', async () => {
  await made('Line One');
  const event = { eventId: 'n1', customMetadata: { line: 1 } };
  await record({ useCaseId: 'Line One', ...event });
  // The same event, in the other spelling of its use case.
  await record({ useCaseId: 'line-one', ...event });
  await record({ useCaseId: 'Line One', eventId: 'n2' });
  const found = [...(await named()).values()].filter(({ name }) => name === 'Line One');
  expect(found).toEqual([{ id: 'line-one', name: 'Line One', status: 'active', eventCount: 2 }]);
  const first = await query({ useCaseId: 'Line One', limit: 1 });
  expect(first.events).toMatchObject([{ eventId: 'n2', useCaseId: 'line-one' }]);
  const rest = { useCaseId: 'line-one', limit: 1, cursor: first.nextCursor };
  expect(await idsOf(rest)).toEqual(['n1']);
  const schema = await tell('GET /vision-events/custom-metadata-schema/Line%20One');
  expect(schema.body).toMatchObject({ useCaseId: 'line-one', eventsRead: 2 });
  const own = await tell(`PUT ${line('line-one')}`, { name: 'Line One' });
  expect(own).toMatchObject({ status: 200, body: { id: 'line-one', name: 'Line One' } });
  expect((await tell(`POST ${line('Line%20One', '/archive')}`)).status).toBe(200);
  const late = { eventType: 'custom', useCaseId: 'Line One', eventId: 'n3', timestamp: at('00') };
  expect(await refusal('POST /vision-events', late)).toEqual([
    400,
    'useCaseId: the use case "line-one" is archived',
  ]);
});

it('of an id that another has as its name are found by the id', async () => {
  await made('Gate');
  await tell(`PUT ${line('gate')}`, { name: 'Door' });
  await made('gate');
  await record({ useCaseId: 'gate', eventId: 'g' });
  expect((await named()).get('gate')).toMatchObject({ name: 'Door', eventCount: 1 });
});

it('that are archived take no more events, and are listed apart', async () => {
  const useCaseId = 'archived';
  await record({ useCaseId, eventId: 'old' });
  const archived = await tell(`POST ${line(useCaseId, '/archive')}`);
  expect(archived).toMatchObject({ status: 200, body: { success: true, status: 'inactive' } });
  expect((await named()).has(useCaseId)).toBe(false);
  expect((await named('inactive')).get(useCaseId)).toMatchObject({ status: 'inactive' });
  // What is recorded already may be sent again, and is found.
  await record({ useCaseId, eventId: 'old' });
  expect(await idsOf({ useCaseId })).toEqual(['old']);
  const event = { eventType: 'custom', useCaseId, eventId: 'late', timestamp: at('00') };
  expect(await refusal('POST /vision-events', event)).toEqual([
    400,
    'useCaseId: the use case "archived" is archived',
  ]);
  const events = [{ ...event, useCaseId: 'line-3' }, event];
  expect(await refusal('POST /vision-events/batch', { events })).toEqual([
    400,
    'events[1].useCaseId: the use case "archived" is archived',
  ]);
  const restored = await tell(`POST ${line(useCaseId, '/unarchive')}`);
  expect(restored).toMatchObject({ status: 200, body: { success: true, eventCount: 1 } });
  await record({ useCaseId, eventId: 'late' });
  expect(await idsOf({ useCaseId })).toEqual(['old', 'late']);
});

it.each([
  `PUT ${line('nowhere')}`,
  `POST ${line('nowhere', '/archive')}`,
  `POST ${line('nowhere', '/unarchive')}`,
  'GET /vision-events/custom-metadata-schema/nowhere',
])('that are not there: %s', async (call) => {
  const body = call.startsWith('PUT') ? { name: 'x' } : undefined;
  expect(await refusal(call, body)).toEqual([404, 'There is no use case "nowhere".']);
});

it('of an unknown state are not listed', async () => {
  expect(await refusal('GET /vision-events/use-cases?status=gone')).toEqual([
    400,
    expect.stringMatching(/^status: /),
  ]);
});

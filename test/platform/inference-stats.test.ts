// Statistics of inferences: figures by hand, their window, and who sees them.

import { expect, it } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { type Labelling, modelFile, redAt, startLabelling } from './platform-with-model.ts';

const noon = Date.UTC(2026, 10, 21, 12);
const clock = { ...systemClock, now: () => noon };
let number = 0;

/** An event of the middle of the night with these detections, as [class, confidence]. */
async function event(
  fixture: Labelling,
  detections: readonly (readonly [string, number])[],
  more: object = {},
) {
  const image = await redAt(number % 16);
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(image)]), 'a.png');
  const headers = { authorization: `Bearer ${fixture.platform.key}` };
  const url = `${fixture.platform.url}/vision-events/upload`;
  const { sourceId } = Object(
    await (await fetch(url, { method: 'POST', headers, body: form })).json(),
  );
  const place = { x: 5, y: 5, width: 2, height: 2 };
  const objectDetections = detections.map(([name, confidence]) => ({
    class: name,
    confidence,
    ...place,
  }));
  return fixture.tell('POST', '/vision-events', {
    eventId: `event-${number++}`,
    eventType: 'quality_check',
    useCaseId: 'line-3',
    timestamp: '2026-11-21T03:00:00Z',
    images: [{ sourceId, objectDetections }],
    ...more,
  });
}

it('counts by hand', async () => {
  const fixture = await startLabelling({ clock });
  await event(fixture, [
    ['cap', 0.5],
    ['cap', 0.7],
    ['scratch', 0.9],
  ]);
  await event(fixture, [['cap', 0.9]], { workflowId: 'inspect' });
  await event(fixture, [['cap', 0.8]]);
  await event(fixture, []);
  // A person's word is no inference, and neither is an event without images.
  await event(fixture, [['cap', 0.1]], { eventType: 'operator_feedback' });
  await event(fixture, [], { images: [] });
  // Two days before: in the window before the last one.
  const before = { timestamp: '2026-11-19T13:00:00Z' };
  await event(fixture, [['cap', 0.2]], before);
  const told = await fixture.tell(
    'GET',
    '/acme/inference-stats?startTime=2026-11-20 12:00:00&endTime=2026-11-21 12:00:00',
  );
  expect(told).toEqual({
    status: 200,
    body: {
      num_inferences: 4,
      num_errors: 0,
      avg_confidence: 0.76,
      avg_response_time: null,
      prev_num_inferences: 1,
      prev_num_errors: 0,
      prev_avg_confidence: 0.2,
      prev_avg_response_time: null,
      inference_stats: [
        {
          model_name: 'line-3',
          predicted_class: 'cap',
          class_count: 3,
          avg_confidence: expect.closeTo(2 / 3, 10),
          median_confidence: 0.7,
          avg_response_time: null,
          model_num_inferences: 3,
          deployment_types: ['vision_event'],
          inference_server_versions: [],
        },
        expect.objectContaining({
          model_name: 'inspect',
          predicted_class: 'cap',
          class_count: 1,
          median_confidence: 0.9,
          model_num_inferences: 1,
        }),
        expect.objectContaining({ model_name: 'line-3', predicted_class: 'scratch' }),
      ],
    },
  });
  const one = await fixture.tell('GET', '/acme/inference-stats?modelNames=inspect,nobody');
  expect(one.body).toMatchObject({ num_inferences: 1, prev_num_inferences: 0 });
});

it('takes the middle of an even number between both', async () => {
  const fixture = await startLabelling({ clock });
  for (const confidence of [0.9, 0.1, 0.4, 0.3]) await event(fixture, [['cap', confidence]]);
  const { body } = await fixture.tell('GET', '/acme/inference-stats');
  const [row] = Array.isArray(body.inference_stats) ? body.inference_stats : [];
  expect(row.median_confidence).toBeCloseTo(0.35, 10);
});

it('counts an event once, also where another use case has its id', async () => {
  const fixture = await startLabelling({ clock });
  await event(fixture, [['cap', 0.5]], { eventId: 'same' });
  await event(fixture, [['cap', 0.5]], { eventId: 'same', useCaseId: 'line-4' });
  const again = { eventId: 'batched' };
  await event(fixture, [['cap', 0.5]], again);
  const { body } = await fixture.tell('GET', '/acme/inference-stats');
  expect(body).toMatchObject({ num_inferences: 3 });
});

it('the window has its start, and not its end', async () => {
  const fixture = await startLabelling({ clock });
  await event(fixture, [['cap', 0.5]], { timestamp: '2026-11-21T03:00:00Z' });
  const count = async (from: string, to: string) => {
    const query = `startTime=2026-11-21 ${from}&endTime=2026-11-21 ${to}`;
    return (await fixture.tell('GET', `/acme/inference-stats?${query}`)).body.num_inferences;
  };
  expect(await count('03:00:00', '03:00:01')).toBe(1);
  expect(await count('02:00:00', '03:00:00')).toBe(0);
  expect(await count('03:00:01', '04:00:00')).toBe(0);
});

it.each([
  [
    'startTime=2026-11-22 00:00:00&endTime=2026-11-21 00:00:00',
    'startTime: must be before endTime',
  ],
  [
    'startTime=2026-11-21 00:00:00&endTime=2026-11-21 00:00:00',
    'startTime: must be before endTime',
  ],
  [
    'startTime=2026-02-31 00:00:00',
    'startTime: is no time that there was: YYYY-MM-DD HH:mm:ss, UTC',
  ],
  ['endTime=2026-13-01 00:00:00', 'endTime: is no time that there was: YYYY-MM-DD HH:mm:ss, UTC'],
  ['startTime=2026-11-21T00:00:00Z', 'startTime: must be written as YYYY-MM-DD HH:mm:ss'],
])('refuses the window %s', async (query, message) => {
  const fixture = await startLabelling({ clock });
  const { status, body } = await fixture.tell('GET', `/acme/inference-stats?${query}`);
  expect([status, Object(body.error).message]).toEqual([400, message]);
});

it('metadata is set on all records, or on none', async () => {
  const fixture = await startLabelling({ model: await modelFile() });
  const project = await fixture.newProject();
  const body = (await redAt(2)).toString('base64');
  const headers = {
    authorization: `Bearer ${fixture.platform.key}`,
    'content-type': 'application/x-www-form-urlencoded',
  };
  const answer = await fetch(`${fixture.platform.url}/${project}/local`, {
    method: 'POST',
    headers,
    body,
  });
  const { inference_id: id } = Object(await answer.json());
  const set = (data: unknown, key?: string, workspace = 'acme') =>
    fixture.tell('POST', `/${workspace}/inference-stats/metadata`, { data }, key);
  const field = { field_name: 'truth', field_value: 'red' };
  expect(await set([{ inference_ids: [id], ...field }])).toEqual({
    status: 200,
    body: { status: 'ok' },
  });
  const refused = await set([
    { inference_ids: [id], field_name: 'truth', field_value: 'blue' },
    { inference_ids: ['a', 'b', 'c', 'd'], ...field },
  ]);
  expect([refused.status, Object(refused.body.error).message]).toEqual([
    400,
    'data: 4 of the ids are of no inference here (a, b, c); nothing was set',
  ]);
  expect((await set([{ inference_ids: [id], ...field, field_value: 3 }])).status).toBe(400);
  expect((await set([])).status).toBe(400);
  const other = await fixture.platform.otherWorkspace('globex');
  const foreign = await set([{ inference_ids: [id], ...field }], other.key, 'globex');
  expect(foreign.status).toBe(400);
  const seen = await fixture.tell('GET', '/globex/inference-stats', undefined, other.key);
  expect(seen.body).toMatchObject({ num_inferences: 0, inference_stats: [] });
});

it('names a time only where one was given, and says why there are no earlier figures', async () => {
  const fixture = await startLabelling({ clock });
  const seen = (count: number, created: number) =>
    fixture.platform.query(
      `WITH RECURSIVE numbers (n) AS (
         VALUES (1) UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})
       INSERT INTO inferences (id, workspace_id, model_name, source, created, metadata)
       SELECT 'seen-${created}' || n, (SELECT id FROM workspaces WHERE slug = 'acme'), 'm',
         'hosted', ${created}, '{}' FROM numbers`,
    );
  const hour = 60 * 60 * 1000;
  await seen(100_001, noon - 36 * hour);
  await seen(2, noon - hour);
  const { status, body } = await fixture.tell('GET', '/acme/inference-stats');
  expect([status, body.num_inferences, body.prev_num_inferences]).toEqual([200, 2, null]);
  expect(body).toMatchObject({ prev_num_errors: null, prev_avg_confidence: null });
  expect(body.note).toContain('more than 100000 inferences');
  const shorter = '?startTime=2026-11-21 00:00:00';
  expect((await fixture.tell('GET', `/acme/inference-stats${shorter}`)).body).toMatchObject({
    num_inferences: 2,
    prev_num_inferences: 0,
  });
  const named = await fixture.tell('GET', '/acme/inference-stats?startTime=2026-11-20 00:00:00');
  expect([named.status, Object(named.body.error).message]).toEqual([
    400,
    'startTime: more than 100000 inferences lie between; at most 100000 are counted at once',
  ]);
  await seen(100_001, noon - 2 * hour);
  const unnamed = await fixture.tell('GET', '/acme/inference-stats');
  expect(unnamed.status).toBe(400);
  expect(Object(unnamed.body.error).message).toContain('The 24 hours without a startTime');
  expect(JSON.stringify(unnamed.body)).not.toContain('"startTime"');
});

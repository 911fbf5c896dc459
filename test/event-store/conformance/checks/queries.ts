// GET /v2/events and its neighbours: what each parameter finds.

import assert from 'node:assert/strict';
import { countAnswer, type EventAnswer, pageAnswer } from '../answers.ts';
import { type Check, type Context, check } from '../check.ts';
import { allRefused, ask, count, create, eventOf, list, read, refused, stored } from '../steps.ts';

type Query = Readonly<Record<string, string | readonly string[]>>;

export const queryChecks: readonly Check[] = [
  check('a page', ['9.2', '9.3', '10.9', '6.1', '10.18'], async (context) => {
    const events = await storedInOrder(context, [{}, {}, {}]);
    const page = await list(context);
    assert.equal(page.count, 3);
    assert.equal(page.next_timestamp, null);
    assert.deepEqual(page.events, events.toReversed());
  }),
  check('sort_direction', ['10.9', '15.7', '15.1'], async (context) => {
    const ids = (await storedInOrder(context, [{}, {}, {}])).map(({ id }) => id);
    assert.deepEqual(await found(context, { sort_direction: 'asc' }), ids);
    assert.deepEqual(await found(context, { sort_direction: 'desc' }), ids.toReversed());
    const wrong = ['ASC ', 'up', 'ascending', '1'];
    const calls = wrong.map((sort_direction) => ({
      path: '/v2/events',
      query: { sort_direction },
    }));
    await allRefused(context, calls, 400);
  }),
  check('exact matches', ['10.4', '10.5', '10.6', '10.7'], async (context) => {
    const { device } = context;
    const [a, b] = await storedInOrder(context, [
      { workflow_id: `${device}-w1`, event_data: { value: 'a', externalId: `${device}-x1` } },
      {
        workflow_id: `${device}-w2`,
        event_data: { result: 'pass', externalId: `${device}-x2` },
        event_schema: 'quality_check',
      },
      { device_id: `${device}-2` },
    ]);
    assert.deepEqual(await found(context, { device_id: device }), [b?.id, a?.id]);
    assert.deepEqual(await found(context, { device_id: device.slice(0, -1) }), []);
    assert.deepEqual(await found(context, { event_schema: 'quality_check' }), [b?.id]);
    assert.deepEqual(await found(context, { event_schema: 'quality' }), []);
    assert.deepEqual(await found(context, { workflow_id: `${device}-w1` }), [a?.id]);
    assert.deepEqual(await found(context, { external_id: `${device}-x2` }), [b?.id]);
    const both = { workflow_id: `${device}-w1`, external_id: `${device}-x2` };
    assert.deepEqual(await found(context, both), []);
    const unbound = { path: '/v2/events', query: { external_id: `${device}-x1` } };
    const page = pageAnswer.parse(await ask(context, unbound, 200));
    assert.deepEqual(
      page.events.map(({ id }) => id),
      [a?.id],
    );
  }),
  check('lists', ['10.10'], async (context) => {
    const { device } = context;
    const [a, b, c] = await storedInOrder(context, [
      { workflow_id: `${device}-w1`, event_data: { value: 'a', externalId: `${device}-x1` } },
      {
        workflow_id: `${device}-w2`,
        event_data: { result: 'pass', externalId: `${device}-x2` },
        event_schema: 'quality_check',
      },
      { workflow_id: `${device}-w3`, device_id: `${device}-2` },
    ]);
    const cases: readonly (readonly [Query, readonly (string | undefined)[]])[] = [
      [{ device_id__in: `${device},${device}-2` }, [c?.id, b?.id, a?.id]],
      [{ device_id__in: `${device}-2` }, [c?.id]],
      [{ device_id__in: `${device}-3` }, []],
      [{ device_id__in: device, event_schema__in: 'quality_check,safety_alert' }, [b?.id]],
      [{ workflow_id__in: `${device}-w1,${device}-w3` }, [c?.id, a?.id]],
      [{ external_id__in: `${device}-x1,${device}-x2,nothing` }, [b?.id, a?.id]],
      [{ workflow_id__in: `${device}-w1,${device}-w2`, external_id: `${device}-x2` }, [b?.id]],
    ];
    for (const [query, expected] of cases) {
      const page = pageAnswer.parse(await ask(context, { path: '/v2/events', query }, 200));
      assert.deepEqual(
        page.events.map(({ id }) => id),
        expected,
        JSON.stringify(query),
      );
    }
  }),
  check('include_drafts', ['10.15', '10.16', '9.4'], async (context) => {
    const [a, b] = await storedInOrder(context, [{ draft: true }, {}]);
    assert.deepEqual(await found(context, {}), [b?.id, a?.id]);
    assert.deepEqual(await found(context, { include_drafts: 'true' }), [b?.id, a?.id]);
    assert.deepEqual(await found(context, { include_drafts: 'false' }), [b?.id]);
    await refused(context, { path: '/v2/events', query: { include_drafts: 'perhaps' } }, 422);
  }),
  check('start_time and end_time', ['10.1', '10.2'], async (context) => {
    const [a, b, c] = await storedInOrder(context, [{}, {}, {}]);
    const from = await found(context, { start_time: b?.created_at ?? '' });
    assert.ok(from.includes(c?.id ?? '') && !from.includes(a?.id ?? ''), 'start_time');
    const until = await found(context, { end_time: b?.created_at ?? '' });
    assert.ok(until.includes(a?.id ?? '') && !until.includes(c?.id ?? ''), 'end_time');
    const query = { start_time: '2000-01-01T00:00:00Z', end_time: '2001-01-01T00:00:00Z' };
    assert.deepEqual(await found(context, query), []);
    const later = { start_time: '2100-01-01T00:00:00Z' };
    assert.deepEqual(await found(context, later), []);
    const own = { inference_timestamp: '2001-01-01T00:00:00Z' };
    await create(context, eventOf(context, own));
    assert.equal((await list(context, { end_time: '2002-01-01T00:00:00Z' })).count, 0);
  }),
  check('spellings of a time', ['18.8', '10.1', '10.2'], async (context) => {
    const [a, b, c] = await storedInOrder(context, [{}, {}, {}]);
    const moment = (b?.created_at ?? '').replace(/Z$/, '');
    const expected = await found(context, { start_time: `${moment}Z` });
    assert.ok(expected.includes(c?.id ?? '') && !expected.includes(a?.id ?? ''));
    const spellings = ['Z', '%2B00:00', '+00:00', ' 00:00'.replace(' ', '%20'), ''];
    for (const zone of spellings) {
      const rawQuery = `?device_id=${context.device}&start_time=${moment}${zone}`;
      const page = pageAnswer.parse(await ask(context, { path: '/v2/events', rawQuery }, 200));
      assert.deepEqual(
        page.events.map(({ id }) => id),
        expected,
        zone,
      );
    }
    assert.deepEqual(await found(context, { start_time: eastern(moment) }), expected);
  }),
  check('what is no time', ['15.6', '15.1'], async (context) => {
    const wrong = ['yesterday', '2026-13-01T00:00:00Z', '2026-02-30T00:00:00Z', '12:00'];
    const calls = wrong.flatMap((time) => [
      { path: '/v2/events', query: { start_time: time } },
      { path: '/v2/events', query: { end_time: time } },
    ]);
    await allRefused(context, calls, 400);
  }),
  check('limit', ['10.3', '16.1', '15.19', '15.2', '9.10'], async (context) => {
    await Promise.all(Array.from({ length: 101 }, () => create(context, eventOf(context))));
    assert.equal((await list(context)).count, 100);
    assert.notEqual((await list(context)).next_timestamp, null);
    const latest = await ask(context, { path: '/v2/events/latest/query' }, 200);
    assert.equal(pageAnswer.parse(latest).count, 100);
    assert.equal((await list(context, { limit: '101' })).count, 101);
    assert.equal((await list(context, { limit: '1' })).count, 1);
    const wrong = ['0', '-1', '1000000000', '1.5', 'all', '9'.repeat(40)];
    const calls = wrong.flatMap((limit) => [
      { path: '/v2/events', query: { limit } },
      { path: '/v2/events/latest/query', query: { limit } },
    ]);
    await allRefused(context, calls, 422);
  }),
  check('the latest', ['9.4', '10.15'], async (context) => {
    const [a, b, c] = await storedInOrder(context, [{}, {}, { draft: true }]);
    const latest = async (query: Query) => {
      const call = { path: '/v2/events/latest/query', query };
      return pageAnswer.parse(await ask(context, call, 200)).events.map(({ id }) => id);
    };
    assert.deepEqual(await latest({ limit: '3' }), [c?.id, b?.id, a?.id]);
    assert.deepEqual(await latest({ limit: '2', include_drafts: 'true' }), [c?.id, b?.id]);
    assert.deepEqual(await latest({ limit: '2', include_drafts: 'false' }), [b?.id, a?.id]);
    assert.equal((await latest({}))[0], c?.id);
    const call = { path: '/v2/events/latest/query', query: { limit: '1' } };
    const { next_timestamp } = pageAnswer.parse(await ask(context, call, 200));
    assert.deepEqual(await found(context, { end_time: next_timestamp ?? '' }), [b?.id, a?.id]);
  }),
  check('counts', ['9.5', '7.2', '7.3'], async (context) => {
    const workflow = `${context.device}-w`;
    const before = (await count(context)).total_count;
    const [a, b, c] = await storedInOrder(context, [
      { workflow_id: workflow },
      { event_schema: 'quality_check', event_data: { result: 'pass' } },
      { workflow_id: workflow, draft: true },
    ]);
    const own = { device_id: context.device };
    assert.deepEqual(await count(context, own), {
      total_count: before + 3,
      filtered_count: 3,
      oldest_timestamp: a?.created_at,
      newest_timestamp: c?.created_at,
    });
    const schema = await count(context, { ...own, event_schema: 'quality_check' });
    assert.deepEqual(
      [schema.filtered_count, schema.oldest_timestamp, schema.newest_timestamp],
      [1, b?.created_at, b?.created_at],
    );
    assert.equal((await count(context, { workflow_id: workflow })).filtered_count, 2);
    const nothing = { path: '/events/count/stats', query: { device_id: `${context.device}-none` } };
    assert.deepEqual(countAnswer.parse(await ask(context, nothing, 200)), {
      total_count: before + 3,
      filtered_count: 0,
      oldest_timestamp: null,
      newest_timestamp: null,
    });
    const all = await count(context);
    assert.equal(all.filtered_count, all.total_count);
  }),
  check('every event reports version 2', ['6.14', '17.1'], async (context) => {
    assert.equal((await stored(context)).api_version, 'v2');
    assert.equal((await stored(context, { draft: true })).api_version, 'v2');
  }),
];

/** Checks that need the service to have been started on the data of an earlier version. */
export const earlierChecks: readonly Check[] = [
  check('events of an earlier version', ['10.17', '17.2'], async (context) => {
    const call = { path: '/v2/events', query: { limit: '1000', sort_direction: 'asc' } };
    const { events } = pageAnswer.parse(await ask(context, call, 200));
    const earlier = events.filter(({ api_version }) => api_version !== 'v2');
    assert.notEqual(earlier.length, 0, 'the oldest thousand events are all of version 2');
    for (const event of earlier) assert.deepEqual(await read(context, event.id), event);
  }),
];

/** Stored one after the other, as they are read back. */
async function storedInOrder(
  context: Context,
  events: readonly Readonly<Record<string, unknown>>[],
): Promise<readonly EventAnswer[]> {
  const answers: EventAnswer[] = [];
  for (const more of events) answers.push(await stored(context, more));
  return answers;
}

async function found(context: Context, query: Query): Promise<readonly string[]> {
  return (await list(context, query)).events.map(({ id }) => id);
}

/** The same moment, an hour and a half ahead of UTC. */
function eastern(moment: string): string {
  const [seconds = '', fraction = '0'] = moment.split('.');
  const ahead = new Date(Date.parse(`${seconds}Z`) + 90 * 60_000).toISOString().slice(0, 19);
  return `${ahead}.${fraction}+01:30`;
}

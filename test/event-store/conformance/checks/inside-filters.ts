// event_data_filter and detection_filter: what they find and count, and what cannot be parsed.

import assert from 'node:assert/strict';
import type { Call } from '../../../conformance/http.ts';
import { pageAnswer } from '../answers.ts';
import { type Check, type Context, check } from '../check.ts';
import { allRefused, ask, count, create, eventOf, list } from '../steps.ts';

type Query = NonNullable<Call['query']>;

const bolt = (confidence: number) => ({
  class: 'bolt',
  x: 5,
  y: 5,
  width: 2,
  height: 2,
  confidence,
});
const nut = { class: 'nut', confidence: 0.9 };

/** Each event under its name. */
const events = {
  passed: { event_schema: 'quality_check', event_data: { result: 'pass' } },
  failed: {
    event_schema: 'quality_check',
    event_data: { result: 'fail' },
    custom_metadata: { line: 3 },
    images: [{ objectDetections: [bolt(0.9), bolt(0.4)] }],
  },
  'failed elsewhere': {
    event_schema: 'quality_check',
    event_data: { result: 'fail' },
    custom_metadata: { line: 4 },
    images: [{ objectDetections: [bolt(0.3)], classifications: [nut] }],
  },
  few: { event_schema: 'inventory_count', event_data: { itemCount: 5 } },
  many: { event_schema: 'inventory_count', event_data: { itemCount: 50 } },
};

type Name = keyof typeof events;

const cases: readonly (readonly [Query, readonly Name[]])[] = [
  [{ event_data_filter: 'result:fail' }, ['failed', 'failed elsewhere']],
  [{ event_data_filter: 'result:ne:fail' }, ['passed']],
  [{ event_data_filter: 'itemCount:gte:5' }, ['few', 'many']],
  [{ event_data_filter: ['itemCount:gt:5', 'itemCount:lt:100'] }, ['many']],
  [{ event_data_filter: 'line:3' }, []],
  [{ event_data_filter: 'result:fail', metadata_filter: 'line:3' }, ['failed']],
  [{ detection_filter: 'class:bolt' }, ['failed', 'failed elsewhere']],
  [{ detection_filter: 'class:bolt,confidence:gte:0.5' }, ['failed']],
  [{ detection_filter: 'class:bolt,confidence>=0.5' }, ['failed']],
  [{ detection_filter: 'class:bolt,count:gte:2' }, ['failed']],
  [{ detection_filter: 'class:bolt,confidence:lt:0.5,count:1' }, ['failed', 'failed elsewhere']],
  [{ detection_filter: ['class:bolt', 'class:nut'] }, ['failed elsewhere']],
  [{ detection_filter: 'class:bolt,count:0' }, ['passed', 'few', 'many']],
  [{ detection_filter: 'class:screw' }, []],
];

export const insideFilterChecks: readonly Check[] = [
  check('lists and counts', ['18.12', '18.13', '18.15', '18.16'], async (context) => {
    const names = await storeAll(context);
    for (const [query, expected] of cases) {
      const found = await list(context, query);
      const words = JSON.stringify(query);
      const foundNames = found.events.map(({ id }) => names.get(id) ?? '');
      assert.deepEqual(foundNames.toSorted(), expected.toSorted(), words);
      assert.ok(Number.isInteger(found.scanned) && found.next_timestamp === null, words);
      const counted = await count(context, { device_id: context.device, ...query });
      assert.equal(counted.filtered_count, expected.length, words);
      assert.ok(Number.isInteger(counted.scanned) && counted.next_timestamp === null, words);
      const [newest, oldest] = [found.events[0], found.events.at(-1)];
      assert.equal(counted.newest_timestamp, newest?.created_at ?? null, words);
      assert.equal(counted.oldest_timestamp, oldest?.created_at ?? null, words);
    }
  }),
  check('nested members', ['18.12'], async (context) => {
    const given = { event_schema: 'quality_check', event_data: { result: 'pass' } };
    await create(context, eventOf(context, given));
    for (const key of ['result.pass', 'result.length', 'a.result', 'toString']) {
      const { count: found } = await list(context, { event_data_filter: `${key}:ne:x` });
      assert.equal(found, 0, key);
    }
  }),
  check('filters of the latest', ['18.12', '18.13', '18.15', '18.17'], async (context) => {
    // Events of other checks come meanwhile: one of a kind is looked for.
    const custom_metadata = { own: context.device };
    const { id } = await create(context, eventOf(context, { ...events.failed, custom_metadata }));
    const filters = [
      { metadata_filter: `own:${context.device}` },
      { metadata_filter: `own:${context.device}`, event_data_filter: 'result:fail' },
      { metadata_filter: `own:${context.device}`, detection_filter: 'class:bolt' },
    ];
    for (const query of filters) assert.deepEqual(await latest(context, query), [id]);
    const none = { ...filters[0], event_data_filter: 'result:pass' };
    assert.deepEqual(await latest(context, none), []);
  }),
  check('counts by time and metadata', ['18.16'], async (context) => {
    const made = [];
    for (let n = 0; n < 4; n += 1) {
      made.push(await create(context, eventOf(context, { custom_metadata: { n } })));
    }
    const counted = async (query: Query) =>
      (await count(context, { device_id: context.device, ...query })).filtered_count;
    const start_time = made[1]?.created_at ?? '';
    const end_time = made[2]?.created_at ?? '';
    assert.equal(await counted({ start_time }), 3);
    assert.equal(await counted({ end_time }), 3);
    assert.equal(await counted({ start_time, end_time }), 2);
    assert.equal(await counted({ metadata_filter: 'n:gte:1', end_time }), 2);
  }),
  check(
    'filters of event_data and detections that cannot be parsed',
    ['18.14', '15.1'],
    async (context) => {
      const wrong: readonly Query[] = [
        { event_data_filter: 'novalue' },
        { event_data_filter: ['result:fail', ':5'] },
        { event_data_filter: 'itemCount:>=:5' },
        { detection_filter: 'bolt' },
        { detection_filter: 'label:bolt' },
        { detection_filter: 'class:gt:bolt' },
        { detection_filter: 'confidence:gte:50' },
        { detection_filter: 'class:bolt,count:some' },
        { detection_filter: ['class:bolt', 'confidence:gte:0.5'] },
      ];
      const paths = ['/v2/events', '/v2/events/latest/query', '/events/count/stats'];
      const calls = paths.flatMap((path) => wrong.map((query) => ({ path, query })));
      await allRefused(context, calls, 400);
      const call = { path: '/v2/events', query: { detection_filter: 'bolt' } };
      const { detail } = Object(await ask(context, call, 400));
      assert.match(detail, /detection_filter: .*class:person,confidence:gte:0\.5,count:gte:3/);
    },
  ),
];

async function storeAll(context: Context): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  for (const [name, members] of Object.entries(events)) {
    const { id } = await create(context, eventOf(context, members));
    names.set(id, name);
  }
  return names;
}

async function latest(context: Context, query: Query) {
  const call = { path: '/v2/events/latest/query', query };
  return pageAnswer.parse(await ask(context, call, 200)).events.map(({ id }) => id);
}

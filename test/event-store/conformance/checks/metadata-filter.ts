// metadata_filter: operators, types, AND, and what cannot be parsed.

import assert from 'node:assert/strict';
import { type Check, type Context, check } from '../check.ts';
import { create, eventOf, list, refused } from '../steps.ts';

/** Each event has its name as a key of its metadata. */
const metadata = {
  five: { n: 5, s: 'abc' },
  'five as text': { n: '5' },
  ten: { n: 10, s: 'abd' },
  half: { n: 2.5, s: 'Abc' },
  minus: { n: -1e3 },
  on: { flag: true, at: '12:30:00' },
  off: { flag: false },
  'on as text': { flag: 'true' },
  one: { flag: 1 },
  nested: { n: { deep: 10 }, list: [10], none: null },
  words: { 'camera name': 'Halle 3, Süd', url: 'http://a:80/b' },
  without: {},
};

type Name = keyof typeof metadata;

const cases: readonly (readonly [readonly string[], readonly Name[]])[] = [
  [['n:10'], ['ten']],
  [['n:eq:10'], ['ten']],
  [['n:eq:10.0'], ['ten']],
  [['n:5'], ['five', 'five as text']],
  [['n:-1000'], ['minus']],
  [['n:ne:10'], ['five', 'five as text', 'half', 'minus']],
  [['n:gt:5'], ['ten']],
  [['n:gte:5'], ['five', 'ten']],
  [['n:lt:5'], ['half', 'minus']],
  [['n:lte:2.5'], ['half', 'minus']],
  [['n:gt:-2000'], ['five', 'ten', 'half', 'minus']],
  [['s:abc'], ['five']],
  [['s:ne:abc'], ['ten', 'half']],
  [['s:gt:abc'], ['ten']],
  [['s:gte:abc'], ['five', 'ten']],
  [['s:lt:abc'], ['half']],
  [['s:lte:abc'], ['five', 'half']],
  [['flag:true'], ['on', 'on as text']],
  [['flag:eq:false'], ['off']],
  [['flag:ne:true'], ['off', 'one']],
  [['flag:1'], ['one']],
  [['flag:gte:0'], ['one']],
  [['at:12:30:00'], ['on']],
  [['at:eq:12:30:00'], ['on']],
  [['url:http://a:80/b'], ['words']],
  [['camera name:Halle 3, Süd'], ['words']],
  [
    ['n:gt:0', 'n:lt:6'],
    ['five', 'half'],
  ],
  [['n:gt:0', 's:abc'], ['five']],
  [['n:gt:0', 'flag:true'], []],
  [
    ['n:gte:2.5', 'n:lte:10', 'n:ne:5'],
    ['ten', 'half'],
  ],
  [['N:10'], []],
  [['nothing:10'], []],
  [['list:10'], []],
  [['deep:10'], []],
  [['device_id:10'], []],
];

export const metadataFilterChecks: readonly Check[] = [
  check('operators and types', ['10.11', '10.12', '10.13', '3.11'], async (context) => {
    const names = await storeAll(context);
    for (const [filters, expected] of cases) {
      assert.deepEqual(
        await found(context, names, filters),
        expected.toSorted(),
        filters.join(' & '),
      );
    }
  }),
  check('only custom_metadata of the event', ['10.14', '4.9'], async (context) => {
    const images = [{ metadata: { zone: 'A' } }];
    await create(context, eventOf(context, { images, event_data: { value: 'A' } }));
    for (const metadata_filter of ['zone:A', 'value:A', 'event_schema:custom']) {
      assert.equal((await list(context, { metadata_filter })).count, 0, metadata_filter);
    }
  }),
  check('with the other parameters, page by page', ['10.13', '10.18'], async (context) => {
    for (let n = 0; n < 9; n += 1) {
      await create(context, eventOf(context, { custom_metadata: { n }, draft: n % 2 === 1 }));
    }
    const query = { metadata_filter: 'n:gte:3', include_drafts: 'false', limit: '2' };
    const first = await list(context, query);
    assert.deepEqual(
      first.events.map(({ custom_metadata }) => custom_metadata?.n),
      [8, 6],
    );
    const second = await list(context, { ...query, end_time: first.next_timestamp ?? '' });
    assert.deepEqual(
      second.events.map(({ custom_metadata }) => custom_metadata?.n),
      [4],
    );
    assert.equal(second.next_timestamp, null);
  }),
  check('what cannot be parsed', ['15.8', '15.1'], async (context) => {
    for (const metadata_filter of ['novalue', ':5', ':', '::']) {
      await refused(context, { path: '/v2/events', query: { metadata_filter } }, 400);
    }
    const second = { metadata_filter: ['n:5', 'novalue'] };
    await refused(context, { path: '/v2/events', query: second }, 400);
  }),
];

async function storeAll(context: Context): Promise<ReadonlyMap<string, string>> {
  const pairs = Object.entries(metadata).map(async ([name, custom_metadata]) => {
    const { id } = await create(context, eventOf(context, { custom_metadata }));
    return [id, name] as const;
  });
  return new Map(await Promise.all(pairs));
}

async function found(
  context: Context,
  names: ReadonlyMap<string, string>,
  filters: readonly string[],
): Promise<readonly (string | undefined)[]> {
  const { events } = await list(context, { metadata_filter: filters });
  return events.map(({ id }) => names.get(id)).toSorted();
}

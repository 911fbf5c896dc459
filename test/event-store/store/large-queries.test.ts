// Queries over thousands of indexed events, some of which are gone, against a look at all of them.
// FUZZ_RUNS=5000 asks more of them.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { openEventStore } from '../../../src/event-store/store/sqlite-store.ts';
import type {
  EventFilter,
  EventStore,
  MetadataCondition,
  NewEvent,
} from '../../../src/event-store/store/store.ts';
import { memoryStore } from './memory-store.ts';
import { indexEvents, newEvent } from './new-events.ts';

const eventCount = 11_000;
const removedCount = 2_500;

let stores: readonly EventStore[] = [];
let folder = '';

/** Stored by their start, which ends before or within a character of two halves. */
const longTexts = [198, 199, 200].flatMap((length) =>
  ['', 'x', '\u{1f600}', '\u{1f600}!', 'yy', '\u{10ffff}'].map((end) => 'x'.repeat(length) + end),
);

function eventNumber(number: number): NewEvent {
  return newEvent({
    deviceId: number % 1_000 === 7 ? 'rare' : `d${number % 5}`,
    workflowId: number % 3 === 0 ? `w${number % 7}` : undefined,
    externalId: `order-${number % 6_000}`,
    customMetadata: {
      number,
      line: number % 10,
      isReworked: number % 11 === 0,
      temperature: ((number * 7_919) % 300) / 10,
      ...(number % 13 === 0 && { note: longTexts[number % longTexts.length] }),
      lot: number % 7 === 0 ? `lot-${(number * 31) % 997}` : (number * 31) % 997,
      ...(number % 4 === 0 && { shift: `shift-${number % 3}` }),
      // As JSON has it in 1e999, and half a character: kept, and found by nobody.
      ...(number === 5_000 && { line: Number.POSITIVE_INFINITY, 'half \ud83d': 1 }),
      ...(number === 5_001 && { shift: 'half \ud83d' }),
      ...(number === 5_002 && { shift: 'half \ud83e' }),
    },
  });
}

/** When each number came to each store. */
const arrivals = new Map<EventStore, Map<number, number>>();

async function create(store: EventStore, number: number): Promise<void> {
  const { arrival } = await store.create(eventNumber(number));
  const ofStore = arrivals.get(store) ?? new Map<number, number>();
  arrivals.set(store, ofStore.set(number, arrival));
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fovea-events-'));
  const sqlite = await openEventStore({ data: folder, clock: systemClock });
  const memory = memoryStore(systemClock);
  stores = [sqlite, memory];
  for (let start = 0; start < eventCount; start += 1_000) {
    const numbers = Array.from({ length: 1_000 }, (_, index) => start + index);
    await Promise.all(numbers.map((number) => create(sqlite, number)));
    for (const number of numbers) await create(memory, number);
  }
  indexEvents(folder);
  for (let number = eventCount; number < eventCount + 16; number += 1) {
    for (const store of stores) await create(store, number);
  }
  for (const store of stores) {
    const rule = { reason: 'age', before: undefined, sparesUnsent: false } as const;
    await store.remove({ ...rule, limit: removedCount });
  }
}, 120_000);

afterAll(async () => {
  await Promise.all(stores.map((store) => store.close()));
  await rm(folder, { recursive: true, force: true });
});

/** The numbers of the events of all pages; `between`: numbers, both included. */
async function numbersOf(
  store: EventStore,
  filter: EventFilter,
  order: 'newest_first' | 'oldest_first',
  between: readonly [number, number] | undefined,
  limit: number,
): Promise<number[]> {
  const [from, until] = (between ?? []).map((number) => arrivals.get(store)?.get(number));
  let query = { ...filter, ...(from && { from }), ...(until && { until }), order, limit };
  const numbers: number[] = [];
  for (;;) {
    const { events, next } = await store.list(query);
    numbers.push(...events.map(({ customMetadata }) => Number(customMetadata?.number)));
    if (next === undefined || numbers.length > 2 * limit) return numbers;
    query = order === 'newest_first' ? { ...query, until: next } : { ...query, from: next };
  }
}

function condition(
  key: string,
  operator: MetadataCondition['operator'],
  ...values: MetadataCondition['values']
): MetadataCondition {
  return { key, operator, values };
}

const filters: readonly (readonly [string, EventFilter])[] = [
  ['a device', { deviceIds: ['d2'] }],
  ['two devices', { deviceIds: ['d2', 'd4', 'none'] }],
  ['a device that few have', { deviceIds: ['rare'] }],
  [
    'the oldest of a device that few have',
    { deviceIds: ['rare'], metadata: [condition('number', 'lt', 3_100)] },
  ],
  [
    'the newest of a device that few have',
    { deviceIds: ['rare'], metadata: [condition('number', 'gt', 9_900)] },
  ],
  ['a workflow', { workflowIds: ['w3'] }],
  ['a device and a workflow', { deviceIds: ['d1'], workflowIds: ['w0', 'w6'] }],
  ['an external id', { externalIds: ['order-3000'] }],
  ['external ids', { externalIds: ['order-1', 'order-4999', 'order-2'] }],
  ['a line', { metadata: [condition('line', 'eq', 4)] }],
  ['lines', { metadata: [condition('line', 'eq', 4, 7, '4')] }],
  ['another line', { metadata: [condition('line', 'ne', 4)] }],
  ['lines from one on', { metadata: [condition('line', 'gte', 8)] }],
  ['what is reworked', { metadata: [condition('isReworked', 'eq', true)] }],
  ['a key that some have', { metadata: [condition('shift', 'eq', 'shift-1')] }],
  ['a range of text', { metadata: [condition('shift', 'gt', 'shift-1')] }],
  ['a narrow range', { metadata: [condition('temperature', 'lt', 0.5)] }],
  ['a wide range', { metadata: [condition('temperature', 'gt', 12)] }],
  ['a range of all', { metadata: [condition('number', 'gte', 0)] }],
  ...(['ne', 'gt', 'gte', 'lt', 'lte'] as const).flatMap((operator) =>
    longTexts
      .filter((_, place) => place % 3 === 1)
      .map((text): readonly [string, EventFilter] => [
        `a text of ${text.length}, ${operator}`,
        { metadata: [condition('note', operator, text)] },
      ]),
  ),
  ['a value that there is not', { metadata: [condition('line', 'eq', 77)] }],
  [
    'a device, a line and a range',
    {
      deviceIds: ['d3'],
      metadata: [condition('line', 'eq', 8), condition('temperature', 'gt', 20)],
    },
  ],
  [
    'three of the metadata',
    {
      metadata: [
        condition('shift', 'eq', 'shift-0'),
        condition('line', 'eq', 6),
        condition('isReworked', 'eq', true),
      ],
    },
  ],
];

test.each(filters)('by %s', async (_, filter) => {
  for (const between of [undefined, [2_600, 6_900]] as const) {
    for (const order of ['newest_first', 'oldest_first'] as const) {
      for (const limit of [1, 300]) {
        const [found, right] = await Promise.all(
          stores.map((store) => numbersOf(store, filter, order, between, limit)),
        );
        expect(found).toEqual(right);
      }
    }
  }
});

const metadataValue: Readonly<Record<string, fc.Arbitrary<MetadataCondition['values'][number]>>> = {
  number: fc.integer({ min: 2_400, max: eventCount + 100 }),
  line: fc.integer({ min: -1, max: 10 }),
  isReworked: fc.boolean(),
  temperature: fc.integer({ min: -1, max: 301 }).map((tenths) => tenths / 10),
  lot: fc.oneof(
    fc.integer({ min: 0, max: 1_000 }),
    fc.integer({ min: 0, max: 1_000 }).map((lot) => `lot-${lot}`),
  ),
  note: fc.constantFrom(...longTexts, 'x', 'y', 'x'.repeat(250)),
  shift: fc.integer({ min: 0, max: 3 }).map((shift) => `shift-${shift}`),
};

const metadataCondition = fc.constantFrom(...Object.entries(metadataValue)).chain(([key, value]) =>
  fc.record({
    key: fc.constant(key),
    operator: fc.constantFrom<MetadataCondition['operator']>('eq', 'ne', 'gt', 'gte', 'lt', 'lte'),
    values: fc.array(value, { minLength: 1, maxLength: 3 }),
  }),
);

const someOf = <Value>(value: fc.Arbitrary<Value>) =>
  fc.array(value, { minLength: 1, maxLength: 3 });

const anyFilter: fc.Arbitrary<EventFilter> = fc.record(
  {
    deviceIds: someOf(fc.constantFrom('d0', 'd1', 'd2', 'd3', 'd4', 'rare', 'none')),
    workflowIds: someOf(fc.integer({ min: 0, max: 7 }).map((number) => `w${number}`)),
    externalIds: someOf(fc.integer({ min: 0, max: 6_001 }).map((number) => `order-${number}`)),
    metadata: fc.array(metadataCondition, { minLength: 1, maxLength: 3 }),
  },
  { requiredKeys: [] },
);

const { FUZZ_RUNS } = process.env;

test(
  'by whatever',
  async () => {
    const number = fc.integer({ min: removedCount - 50, max: eventCount + 15 });
    const between = fc.option(fc.tuple(number, number), { nil: undefined });
    const order = fc.constantFrom('newest_first' as const, 'oldest_first' as const);
    const limit = fc.constantFrom(1, 2, 9, 50, 300);
    const runs =
      FUZZ_RUNS === undefined ? { numRuns: 150, seed: 7 } : { numRuns: Number(FUZZ_RUNS) };
    await fc.assert(
      fc.asyncProperty(anyFilter, order, between, limit, async (filter, ...rest) => {
        const [found, right] = await Promise.all(
          stores.map((store) => numbersOf(store, filter, ...rest)),
        );
        expect(found).toEqual(right);
      }),
      runs,
    );
  },
  Number(FUZZ_RUNS ?? 1_000) * 100,
);

test('counts, with their ends', async () => {
  for (const filter of [{ deviceId: 'd1' }, { deviceId: 'd1', workflowId: 'w6' }, {}]) {
    const [found, right] = await Promise.all(stores.map((store) => store.count(filter)));
    expect([found?.total, found?.filtered]).toEqual([right?.total, right?.filtered]);
    const [oldest, newest] = await Promise.all(
      ['oldest_first' as const, 'newest_first' as const].map(async (order) => {
        const ids = {
          ...(filter.deviceId !== undefined && { deviceIds: [filter.deviceId] }),
          ...(filter.workflowId !== undefined && { workflowIds: [filter.workflowId] }),
        };
        return (await stores[0]?.list({ ...ids, order, limit: 1 }))?.events[0]?.arrival;
      }),
    );
    expect(found).toMatchObject({ oldest, newest });
  }
});

// The newest events, as queries find them while they change.

import { expect, test } from 'vitest';
import type { EventQuery, EventStore } from '../../../src/event-store/store/store.ts';
import { settableClock } from '../../fixtures/settable-clock.ts';
import { newEvent, sqliteStore } from './new-events.ts';

const orders: readonly EventQuery['order'][] = ['newest_first', 'oldest_first'];

/** The arrivals that a query finds in both orders, the oldest first. */
async function arrivalsOf(store: EventStore, filter: Partial<EventQuery>): Promise<number[]> {
  const [newest, oldest] = await Promise.all(
    orders.map(async (order) => {
      const { events } = await store.list({ limit: 1_000, ...filter, order });
      return events.map(({ arrival }) => arrival);
    }),
  );
  expect(newest?.reverse()).toEqual(oldest);
  return oldest ?? [];
}

const first = { metadata: [{ key: 'name', operator: 'eq', values: ['a'] }] } as const;

test('what comes is found at once, and what goes is not found', async () => {
  const store = await sqliteStore(settableClock());
  const add = async (name: string) =>
    (await store.create(newEvent({ customMetadata: { name } }))).arrival;
  expect(await arrivalsOf(store, first)).toEqual([]);
  const one = await add('a');
  expect(await arrivalsOf(store, first)).toEqual([one]);
  await add('b');
  const two = await add('a');
  expect(await arrivalsOf(store, first)).toEqual([one, two]);
  const oldest = { reason: 'age', before: undefined, sparesUnsent: false, limit: 1 } as const;
  expect((await store.remove(oldest)).events).toBe(1);
  expect(await arrivalsOf(store, first)).toEqual([two]);
});

test('a draft that was looked at is found as final once it is', async () => {
  const store = await sqliteStore(settableClock());
  const draft = await store.create(newEvent({ draft: true, deviceId: 'd' }));
  const final = { deviceIds: ['d'], includeDrafts: false };
  expect(await arrivalsOf(store, final)).toEqual([]);
  await store.finalize(draft.id);
  expect(await arrivalsOf(store, final)).toEqual([draft.arrival]);
});

test('a look at the newest of them hides no older ones from the next look', async () => {
  const store = await sqliteStore(settableClock());
  const added: number[] = [];
  for (let number = 0; number < 20; number += 1) {
    added.push((await store.create(newEvent({ deviceId: 'd' }))).arrival);
  }
  const from = added[15] ?? 0;
  const devices = { deviceIds: ['d'] };
  expect(await arrivalsOf(store, { ...devices, from })).toEqual(added.slice(15));
  expect(await arrivalsOf(store, { ...devices, until: from })).toEqual(added.slice(0, 16));
  expect(await arrivalsOf(store, devices)).toEqual(added);
});

test('large ones are found as small ones are', async () => {
  const store = await sqliteStore(settableClock());
  const text = 'x'.repeat(256 * 1024);
  const added: number[] = [];
  for (let number = 0; number < 12; number += 1) {
    const event = newEvent({ deviceId: `d${number % 2}`, customMetadata: { text, number } });
    added.push((await store.create(event)).arrival);
  }
  const odd = added.filter((_, number) => number % 2 === 1);
  expect(await arrivalsOf(store, { deviceIds: ['d1'] })).toEqual(odd);
  const late = { metadata: [{ key: 'number', operator: 'gte', values: [5] }] } as const;
  expect(await arrivalsOf(store, late)).toEqual(added.slice(5));
  expect(await arrivalsOf(store, { ...late, until: added[9] ?? 0 })).toEqual(added.slice(5, 10));
});

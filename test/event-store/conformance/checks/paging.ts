// Pages by next_timestamp, however many events arrive at once.

import assert from 'node:assert/strict';
import type { EventAnswer } from '../answers.ts';
import { type Check, type Context, check } from '../check.ts';
import { create, eventOf, list } from '../steps.ts';

const eventsAtOnce = 150;

export const pagingChecks: readonly Check[] = [
  check('created_at is unique', ['18.7', '6.13'], async (context) => {
    const created = await createAtOnce(context);
    assert.equal(new Set(created.map(({ created_at }) => created_at)).size, eventsAtOnce);
    assert.equal(new Set(created.map(({ id }) => id)).size, eventsAtOnce);
  }),
  check('newest first', ['10.18', '18.7', '10.2', '10.9'], (context) =>
    expectPages(context, 'desc', 7),
  ),
  check('oldest first', ['10.18', '18.7', '10.1', '10.9'], (context) =>
    expectPages(context, 'asc', 7),
  ),
  check('pages of one event', ['10.18', '18.7', '10.3'], (context) =>
    expectPages(context, 'desc', 1),
  ),
  check('a last page that is full', ['10.18'], async (context) => {
    await createAtOnce(context);
    const whole = await list(context, { limit: String(eventsAtOnce) });
    assert.deepEqual([whole.count, whole.next_timestamp], [eventsAtOnce, null]);
  }),
  check('events that arrive between two pages', ['10.18', '18.7'], async (context) => {
    const created = await createAtOnce(context);
    const pages = await readPages(context, 'desc', 50, () => create(context, eventOf(context)));
    assert.deepEqual(idsOf(pages).toSorted(), idsOf(created).toSorted());
  }),
];

function createAtOnce(context: Context) {
  return Promise.all(Array.from({ length: eventsAtOnce }, () => create(context, eventOf(context))));
}

async function expectPages(
  context: Context,
  direction: 'asc' | 'desc',
  limit: number,
): Promise<void> {
  const created = await createAtOnce(context);
  const events = await readPages(context, direction, limit);
  assert.deepEqual(idsOf(events).toSorted(), idsOf(created).toSorted());
  const times = events.map(({ created_at }) => created_at);
  const sorted = times.toSorted();
  assert.deepEqual(times, direction === 'asc' ? sorted : sorted.toReversed());
}

async function readPages(
  context: Context,
  sort_direction: 'asc' | 'desc',
  limit: number,
  between: () => Promise<unknown> = async () => undefined,
): Promise<readonly EventAnswer[]> {
  const name = sort_direction === 'asc' ? 'start_time' : 'end_time';
  const events: EventAnswer[] = [];
  let next: string | null = null;
  do {
    const from: Record<string, string> = next === null ? {} : { [name]: next };
    const page = await list(context, { sort_direction, limit: String(limit), ...from });
    assert.equal(page.count, page.events.length);
    assert.ok(page.count > 0 && page.count <= limit, `a page of ${page.count}`);
    assert.ok(events.length <= eventsAtOnce, 'the pages do not come to an end');
    events.push(...page.events);
    next = page.next_timestamp;
    await between();
  } while (next !== null);
  return events;
}

function idsOf(events: readonly { readonly id: string }[]): readonly string[] {
  return events.map(({ id }) => id);
}

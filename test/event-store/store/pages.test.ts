// What goes through the store in parts: pages of large events, and refused events tried anew.

import { expect, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { allPages, newEvent, sqliteStore } from './new-events.ts';

const megabyte = 1024 * 1024;

/** Names, in the order of their arrival, and what each event has in megabytes of text. */
const sizes = { a: 0.75, b: 1.75, c: 1.75, d: 4.25, e: 0.25, f: 0.5, g: 2, h: 2 };

async function storeOfLargeEvents() {
  const store = await sqliteStore(systemClock);
  for (const [name, megabytes] of Object.entries(sizes)) {
    const text = 'x'.repeat(megabytes * megabyte - 1000);
    const isBody = name !== 'g';
    await store.create(
      newEvent({
        deviceId: name,
        ...(isBody ? { eventData: { text } } : { customMetadata: { text } }),
      }),
    );
  }
  return store;
}

test('a page of large events ends early, and the next one goes on with nothing lost', async () => {
  const store = await storeOfLargeEvents();
  const names = (events: readonly { readonly deviceId: string | undefined }[]) =>
    events.map(({ deviceId }) => deviceId).join('');
  const pages: string[] = [];
  let until = Number.MAX_SAFE_INTEGER;
  for (;;) {
    const page = await store.list({ order: 'newest_first', limit: 1000, until });
    pages.push(names(page.events));
    if (page.next === undefined) break;
    until = page.next;
  }
  expect(pages).toEqual(['hg', 'fe', 'd', 'cb', 'a']);
  expect(names(await allPages(store, { order: 'oldest_first', limit: 1000 }))).toBe('abcdefgh');
  expect(names(await allPages(store, { order: 'oldest_first', limit: 2 }))).toBe('abcdefgh');
});

test('refused events are tried anew once, even while they are refused again', async () => {
  const store = await sqliteStore(systemClock);
  const created = await Promise.all(Array.from({ length: 200 }, () => store.create(newEvent())));
  const refuseAll = () => Promise.all(created.map(({ id }) => store.uploadRefused(id, 'no')));
  await refuseAll();
  let hasEnded = false;
  const retrying = store.retryUpload(undefined).finally(() => {
    hasEnded = true;
  });
  while (!hasEnded) await refuseAll();
  expect(await retrying).toBe(200);
});

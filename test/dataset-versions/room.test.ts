// The memory that jobs share.

import { expect, test } from 'vitest';
import { createRoom } from '../../src/dataset-versions/room.ts';

const never = new AbortController().signal;

/** Enters, and tells when it is inside. */
function visit(room: ReturnType<typeof createRoom>, pixels: number, signal = never) {
  const visitor = { isInside: false, leave: () => {}, failure: '' };
  room.enter(pixels, signal).then(
    (leave) => Object.assign(visitor, { isInside: true, leave }),
    (thrown) => Object.assign(visitor, { failure: String(thrown) }),
  );
  return visitor;
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('lets in what fits, first come, first served', async () => {
  const room = createRoom(100);
  const first = visit(room, 60);
  const second = visit(room, 50);
  // It would fit, but whoever came before it goes first.
  const third = visit(room, 10);
  await settled();
  expect([first, second, third].map(({ isInside }) => isInside)).toEqual([true, false, false]);
  first.leave();
  await settled();
  expect([second, third].map(({ isInside }) => isInside)).toEqual([true, true]);
});

test('lets in alone what is larger than all', async () => {
  const room = createRoom(100);
  const small = visit(room, 1);
  const huge = visit(room, 900);
  const next = visit(room, 1);
  await settled();
  expect([huge, next].map(({ isInside }) => isInside)).toEqual([false, false]);
  small.leave();
  await settled();
  expect([huge, next].map(({ isInside }) => isInside)).toEqual([true, false]);
  huge.leave();
  await settled();
  expect(next.isInside).toBe(true);
});

test('who gives up while waiting makes way for the next', async () => {
  const room = createRoom(100);
  const stop = new AbortController();
  visit(room, 60);
  const waiting = visit(room, 50, stop.signal);
  const next = visit(room, 40);
  await settled();
  stop.abort(new Error('enough'));
  await settled();
  expect(waiting).toMatchObject({ isInside: false, failure: 'Error: enough' });
  expect(next.isInside).toBe(true);
  const late = visit(room, 1, stop.signal);
  await settled();
  expect(late.failure).toBe('Error: enough');
});

// The thread behind the writes: its tasks, one after the other.

import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { Background } from '../../../src/event-store/background/background.ts';
import { indexPathOf } from '../../../src/event-store/index/index-file.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import { newEvent, sqliteStore } from '../store/new-events.ts';

test('a step of the index waits until the writer has moved the rest of the log', async () => {
  const data = await temporaryFolder();
  const store = await sqliteStore(systemClock, data);
  await store.create(newEvent());
  const background = new Background({ events: join(data, 'events.db'), index: indexPathOf(data) });
  onTestFinished(() => background.end());
  expect(await background.run('index')).toEqual({ hasMore: false });
  const order: string[] = [];
  const moveRest = async () => {
    for (let count = 0; count < 20; count += 1) await store.create(newEvent());
    order.push('the rest is moved');
  };
  const checkpoint = background.run('checkpoint', moveRest);
  const index = background.run('index').then(() => order.push('the index is written'));
  await Promise.all([checkpoint, index]);
  expect(order).toEqual(['the rest is moved', 'the index is written']);
});

test('what fails after a task leaves those behind it alone', async () => {
  const data = await temporaryFolder();
  const store = await sqliteStore(systemClock, data);
  await store.create(newEvent());
  const background = new Background({ events: join(data, 'events.db'), index: indexPathOf(data) });
  onTestFinished(() => background.end());
  const checkpoint = background.run('checkpoint', () => Promise.reject(new Error('closed')));
  const index = background.run('index');
  await expect(checkpoint).rejects.toThrow('closed');
  expect(await index).toEqual({ hasMore: false });
});

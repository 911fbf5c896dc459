// Processes that share a data folder, and processes that are killed while they write.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { migrations } from '../../../src/event-store/store/schema.ts';
import type { EventStore } from '../../../src/event-store/store/store.ts';
import { openDatabase } from '../../../src/storage/database.ts';
import { killProcess } from '../../fixtures/kill-process.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import { allPages, newEvent, sqliteStore } from './new-events.ts';

interface Writer {
  readonly process: ChildProcess;
  /** All that it said, once it has ended. */
  readonly said: Promise<readonly string[]>;
}

function startWriter(data: string, name: string, most = 1_000_000_000): Writer {
  const script = join(import.meta.dirname, 'processes', 'write-events.ts');
  const words = [script, data, name, String(most)];
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => killProcess(child));
  // A line that was cut off by the end says nothing.
  const said = text(child.stdout).then((all) => all.split('\n').slice(0, -1));
  return { process: child, said };
}

function idsAfter(word: string, lines: readonly string[]): string[] {
  return lines.filter((line) => line.startsWith(word)).map((line) => line.split(' ')[1] ?? '');
}

/** What the figures say beside what is there. */
async function figures(store: EventStore) {
  const events = await allPages(store, { limit: 1000, order: 'oldest_first' });
  const { records, drafts, videos, waiting } = await store.usage();
  const counts = await store.count({ eventSchema: 'custom' });
  const found = await allPages(store, {
    limit: 1000,
    order: 'newest_first',
    metadata: [{ key: 'number', operator: 'gt', values: [0] }],
  });
  const all = events.length;
  return {
    events,
    said: { records, drafts, waiting, videos, counted: counts.filtered, found: found.length },
    true: {
      records: all,
      counted: all,
      found: all,
      drafts: events.filter(({ draft }) => draft).length,
      waiting: events.filter(({ upload }) => upload === 'waiting').length,
      videos: events.flatMap((event) => event.videos).length,
    },
  };
}

test('two processes and this one write at once: no arrival twice, nothing lost', async () => {
  const data = await temporaryFolder();
  const store = await sqliteStore(systemClock, data);
  const other = await sqliteStore(systemClock, data);
  const writers = [startWriter(data, 'one', 400), startWriter(data, 'two', 400)];
  const own = await Promise.all(
    Array.from({ length: 400 }, (_, number) =>
      (number % 2 === 0 ? store : other).create(
        newEvent({ customMetadata: { number: number + 1 }, deviceId: 'three' }),
      ),
    ),
  );
  const lines = (await Promise.all(writers.map(({ said }) => said))).flat();
  expect(lines.filter((line) => line === 'ended')).toHaveLength(2);
  const promised = [...own.map(({ id }) => id), ...idsAfter('kept', lines)];
  const all = await figures(store);
  expect(all.events.map(({ id }) => id).sort()).toEqual(promised.sort());
  const arrivals = all.events.map(({ arrival }) => arrival);
  expect(new Set(arrivals).size).toBe(1200);
  expect(arrivals).toEqual([...arrivals].sort((first, second) => first - second));
  expect(all.said).toEqual(all.true);
}, 60_000);

test('a process is killed again and again: what it was promised is there, nothing is torn', async () => {
  const data = await temporaryFolder();
  const kept = new Set<string>();
  const finalized = new Set<string>();
  for (let round = 0; round < 8; round += 1) {
    const writer = startWriter(data, `round-${round}`);
    await once(writer.process.stdout ?? writer.process, 'data');
    await delay(40 * round);
    writer.process.kill('SIGKILL');
    const lines = await writer.said;
    for (const id of idsAfter('kept', lines)) kept.add(id);
    for (const id of idsAfter('finalized', lines)) finalized.add(id);
  }
  const database = openDatabase(join(data, 'events.db'), migrations);
  const integrity = database.get('PRAGMA integrity_check', [], (row) =>
    row.text('integrity_check'),
  );
  database.close();
  expect(integrity).toBe('ok');
  const all = await figures(await sqliteStore(systemClock, data));
  const there = new Map(all.events.map((event) => [event.id, event]));
  expect(kept.size).toBeGreaterThan(8);
  expect([...kept].filter((id) => !there.has(id))).toEqual([]);
  expect([...finalized].filter((id) => there.get(id)?.draft !== false)).toEqual([]);
  expect(all.said).toEqual(all.true);
}, 60_000);

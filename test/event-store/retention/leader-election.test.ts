// Several processes on one data folder: one leads, and another takes over.

import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startLeaderElection } from '../../../src/event-store/retention/leader-election.ts';
import { createLog } from '../../../src/log.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import { dayMs, openTestStore, patiently } from './test-store.ts';

describe('processes of one data folder', () => {
  test('have one leader; when it is killed, another one leads', async () => {
    const data = await temporaryFolder();
    const first = startProcess(data);
    await first.says('leads');
    const second = startProcess(data);
    await second.says('started');
    await second.tell('10');
    expect(second.lines).not.toContain('leads');
    first.child.kill('SIGKILL');
    await second.says('leads');
  });

  test('keep the limit together, exceeded by their number at most', async () => {
    const data = await temporaryFolder();
    const first = startProcess(data);
    const second = startProcess(data);
    await Promise.all([first.tell('60'), second.tell('60')]);
    first.child.kill('SIGKILL');
    second.child.kill('SIGKILL');
    const { store, ids } = await openTestStore({ data });
    expect((await ids()).length).toBeLessThanOrEqual(22);
    expect((await ids()).length).toBeGreaterThanOrEqual(18);
    const { removed } = await store.usage();
    const { lines } = await store.ledger({ limit: 1_000 });
    expect(lines).toHaveLength(removed.record_limit ?? 0);
    expect(lines).toHaveLength(120 - (await ids()).length);
    expect(new Set(lines.map(({ eventId }) => eventId)).size).toBe(lines.length);
  });
});

describe('leadership', () => {
  const log = createLog('error', () => {});

  test('runs the work in one of two, ends it, and passes to the other', async () => {
    const path = join(await temporaryFolder(), 'leader.lock');
    const events: string[] = [];
    const work = (name: string) => () => {
      events.push(`${name} starts`);
      return { stop: async () => void events.push(`${name} stops`) };
    };
    const first = startLeaderElection({ path, log, onElected: work('first') });
    const second = startLeaderElection({ path, log, onElected: work('second') });
    await first.stop();
    await expect.poll(() => events, patiently).toContain('second starts');
    await second.stop();
    expect(events).toEqual(['first starts', 'first stops', 'second starts', 'second stops']);
  });

  test('is tried again when the work does not start', async () => {
    const path = join(await temporaryFolder(), 'leader.lock');
    let attempts = 0;
    const election = startLeaderElection({
      path,
      log,
      onElected: () => {
        attempts += 1;
        if (attempts === 1) throw new Error('not now');
        return { stop: async () => {} };
      },
    });
    expect(attempts).toBe(1);
    const words = 'The lock in leader.lock: Something failed inside Fovea.';
    await expect.poll(() => election.failure, patiently).toBe(words);
    await expect.poll(() => attempts, patiently).toBe(2);
    await expect.poll(() => election.failure, patiently).toBe(undefined);
    await election.stop();
    expect(attempts).toBe(2);
  });

  test('says so while its lock is damaged, and leads once it is not', async () => {
    const data = await temporaryFolder();
    const path = join(data, 'leader.lock');
    await writeFile(path, 'not a lock '.repeat(100));
    const { create, clock, retention, ids } = await openTestStore({ data });
    await create();
    await expect
      .poll(() => retention.health(), patiently)
      .toEqual(['The lock in leader.lock: The file is not a database, or is damaged.']);
    expect(retention.refusals()).toEqual(retention.health());
    await rm(path);
    await expect.poll(() => retention.health(), patiently).toEqual([]);
    expect(retention.refusals()).toEqual([]);
    await retention.cleanNow();
    clock.advance(2 * dayMs);
    await retention.cleanNow();
    expect(await ids()).toEqual([]);
  });

  test('that another process has is no failure', async () => {
    const path = join(await temporaryFolder(), 'leader.lock');
    const work = () => ({ stop: async () => {} });
    const first = startLeaderElection({ path, log, onElected: work });
    const logLines: string[] = [];
    const watched = createLog('debug', (line) => logLines.push(line));
    const second = startLeaderElection({ path, log: watched, onElected: work });
    await second.stop();
    expect([first.failure, second.failure, ...logLines]).toEqual([undefined, undefined]);
    await first.stop();
  });
});

interface Process {
  readonly child: ChildProcessByStdio<Writable, Readable, null>;
  readonly lines: readonly string[];
  says(line: string): Promise<void>;
  /** Has it create so many events. */
  tell(count: string): Promise<void>;
}

function startProcess(data: string): Process {
  const script = join(import.meta.dirname, 'processes/retention-process.ts');
  const child = spawn(process.execPath, [script, data], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const lines: string[] = [];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    lines.push(...text.split('\n').filter((line) => line !== ''));
  });
  const says = async (line: string) => {
    while (!lines.includes(line)) {
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`the process ended and never said ${line}`);
      await Promise.race([once(child.stdout, 'data'), ended]);
    }
  };
  const tell = async (count: string) => {
    child.stdin.write(`${count}\n`);
    await says(`created ${count}`);
  };
  return { child, lines, says, tell };
}

// What may happen to the index of a running store, under load: no write fails for it, no page is
// wrong, and it is made anew.

import { randomBytes } from 'node:crypto';
import { existsSync, rmSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { Machine } from './linux-disks.ts';
import { flood } from './loads.ts';
import { startLoad } from './send-load.ts';
import { type Result, Trial } from './trial.ts';

interface Damage {
  /** Whether it needs mounts. */
  readonly isForRoot: boolean;
  /** Whether the store ends in between, so that nothing may call it. */
  readonly isWithKill?: boolean;
  /** Resolves with how it ends; what it is put to is the path of the index. */
  at(path: string, trial: Trial, machine: Machine): Promise<() => Promise<void>>;
}

const once = async () => {};

const damages: Readonly<Record<string, Damage>> = {
  deleted: {
    isForRoot: false,
    at: async (path) => {
      rmSync(path, { force: true });
      return once;
    },
  },
  truncated: {
    isForRoot: false,
    at: async (path) => {
      truncateSync(path, Math.floor(bytesOf(path) / 2));
      return once;
    },
  },
  'filled with noise': {
    isForRoot: false,
    at: async (path) => {
      writeFileSync(path, randomBytes(bytesOf(path)));
      return once;
    },
  },
  'killed in mid-rebuild': {
    isForRoot: false,
    isWithKill: true,
    at: async (path, trial) => {
      rmSync(path, { force: true });
      for (let leftMs = 5_000; leftMs > 0 && !existsSync(path); leftMs -= 5) await wait(5);
      await trial.kill();
      await trial.start();
      return once;
    },
  },
  'read-only': {
    isForRoot: true,
    isWithKill: true,
    at: async (path, trial, machine) => {
      // A file that somebody writes cannot be made read-only.
      await trial.kill();
      const end = await machine.makeReadOnly(path);
      await trial.start();
      return end;
    },
  },
  'unable to grow': {
    isForRoot: true,
    at: async (path, _, machine) => {
      const small = await machine.mountMemory(1);
      writeFileSync(join(small, 'filling'), Buffer.alloc(900 * 1024));
      rmSync(path, { force: true });
      symlinkSync(join(small, 'index.db'), path);
      return once;
    },
  },
};

export const indexDamages: readonly { readonly name: string; readonly isForRoot: boolean }[] =
  Object.entries(damages).map(([name, { isForRoot }]) => ({ name, isForRoot }));

export interface IndexFault {
  readonly data: string;
  readonly name: string;
  readonly times: number;
  /** Writes that are acknowledged before and after. */
  readonly acknowledged: number;
}

export async function tryIndexFault(folder: string, fault: IndexFault): Promise<Result> {
  const { data, name, times, acknowledged } = fault;
  const { environment } = flood;
  const machine = new Machine(folder);
  const path = join(data, 'index.db');
  const trial = new Trial({ name: `index ${name}, ${times} times`, data, environment });
  try {
    await trial.start();
    const recoveries: number[] = [];
    let load = startLoad(trial.history, trial.url, flood.options);
    await trial.acknowledgements(acknowledged);
    for (let time = 0; time < times; time += 1) {
      await indexed(path, trial);
      const damage = damages[name];
      if (damage?.isWithKill) await load.stop();
      const end = await damage?.at(path, trial, machine);
      if (damage?.isWithKill) load = startLoad(trial.history, trial.url, flood.options);
      await trial.acknowledgements(acknowledged);
      await load.stop();
      await trial.judge({ isSwept: false });
      await end?.();
      const startedMs = performance.now();
      await indexed(path, trial);
      recoveries.push(performance.now() - startedMs);
      await trial.judge({ isSwept: false });
      load = startLoad(trial.history, trial.url, flood.options);
    }
    await load.stop();
    await trial.judge();
    const failed = [...trial.history.statuses].filter(([status]) => status >= 500);
    for (const [status, count] of failed) trial.failures.push(`${count} answers were ${status}`);
    await trial.kill();
    const longestMs = Math.round(Math.max(...recoveries));
    return trial.result(`whole again after ${longestMs} ms at most`);
  } finally {
    await machine.restore();
  }
}

/** Waits until the index has nearly all events, and says so where it does not come to it. */
async function indexed(path: string, trial: Trial): Promise<void> {
  for (let leftMs = recoveryMsMax; leftMs > 0; leftMs -= 50) {
    if (behind(path) < behindMax) return;
    await wait(50);
  }
  trial.failures.push(`the index did not recover: ${behind(path)} events are not in it`);
}

const recoveryMsMax = 30_000;
/** So many wait for the next ones to come, or come meanwhile. */
const behindMax = 4_096;

function behind(path: string): number {
  const last = numberIn(join(path, '..', 'events.db'), 'SELECT last_number AS number FROM totals');
  return (last ?? Number.POSITIVE_INFINITY) - (numberIn(path, 'SELECT number FROM progress') ?? 0);
}

function numberIn(path: string, sql: string): number | undefined {
  try {
    const database = new DatabaseSync(path, { readOnly: true, timeout: 1_000 });
    try {
      return Number(database.prepare(sql).get()?.number ?? 0);
    } finally {
      database.close();
    }
  } catch {
    return undefined;
  }
}

function bytesOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

// Calls of the operating system that fail now and then, by libfiu.

import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { run } from './linux-disks.ts';
import { create, releaseAll, startLoad } from './send-load.ts';
import { type Result, Trial } from './trial.ts';

const load = { clients: 8, fileBytesMax: 1_000_000 };
const libraries = '/usr/lib/fiu';

interface Fault {
  readonly names: readonly string[];
  readonly probability: number;
  /** Of the error, as the operating system numbers it. */
  readonly error: number;
}

const inputOutput = 5;
const noSpace = 28;

/** Never `read`, `write` and their like: libuv ends the process when its own pipes fail. */
const faults: Readonly<Record<string, Fault>> = {
  fsync: { names: ['posix/io/sync/fsync'], probability: 0.1, error: inputOutput },
  'fsync, every other': { names: ['posix/io/sync/fsync'], probability: 0.5, error: inputOutput },
  fdatasync: { names: ['posix/io/sync/fdatasync'], probability: 0.1, error: inputOutput },
  rename: { names: ['posix/io/dir/rename'], probability: 0.1, error: inputOutput },
  'pwrite, no space': {
    names: ['posix/io/rw/pwrite', 'posix/io/rw/pwritev'],
    probability: 0.05,
    error: noSpace,
  },
  'pwrite, short': {
    names: ['posix/io/rw/pwrite/reduce', 'posix/io/rw/pwritev/reduce'],
    probability: 0.2,
    error: 0,
  },
  open: { names: ['posix/io/oc/open'], probability: 0.05, error: inputOutput },
  unlink: { names: ['posix/io/dir/unlink'], probability: 0.1, error: inputOutput },
  'all of them': {
    names: ['sync/fsync', 'sync/fdatasync', 'dir/rename', 'rw/pwrite', 'oc/open', 'dir/unlink'].map(
      (name) => `posix/io/${name}`,
    ),
    probability: 0.02,
    error: inputOutput,
  },
};

export const faultNames = Object.keys(faults);

/**
 * Lets calls fail for a while, and looks at what is there; lets them fail again, kills the store in
 * the middle of it, and starts it over.
 */
export async function tryFailingCalls(
  folder: string,
  name: string,
  milliseconds: number,
): Promise<Result> {
  const fault = faults[name];
  if (fault === undefined) throw new Error(`no fault "${name}"`);
  const trial = new Trial({ name: `failing calls: ${name}`, data: join(folder, 'data') });
  const preload = ['fiu_run_preload.so', 'fiu_posix_preload.so'].map((it) => `${libraries}/${it}`);
  const control = join(folder, 'fiu');
  await trial.start({ LD_PRELOAD: preload.join(' '), FIU_ENABLE: '', FIU_CTRL_FIFO: control });
  const pid = String(trial.process.pid);
  const order = async (command: string, rest = '') => {
    for (const each of fault.names) {
      await run('fiu-ctrl', '-f', control, '-c', `${command} name=${each}${rest}`, pid);
    }
  };
  const fail = async () => {
    const running = startLoad(trial.history, trial.url, load);
    await wait(300);
    await order('enable_random', `,probability=${fault.probability},failinfo=${fault.error}`);
    await wait(milliseconds);
    return running;
  };
  const first = await fail();
  await order('disable');
  await first.stop();
  await requireWrites(trial);
  await trial.judge({ isSwept: false });
  await releaseAll(trial.history, trial.url);
  const second = await fail();
  await trial.kill();
  await second.stop();
  await trial.start();
  await trial.judge();
  await trial.kill();
  const { statuses } = trial.history;
  return trial.result(`${statuses.get(500) ?? 0} answers of 500, ${statuses.get(529) ?? 0} of 529`);
}

/** Nothing of it lasts: writes go through again by themselves. */
async function requireWrites(trial: Trial): Promise<void> {
  for (let leftMs = 5_000; leftMs > 0; leftMs -= 100) {
    const { event } = await create(trial.history, trial.url, load, false);
    if (event.outcome === 'stored') return;
    await wait(100);
  }
  trial.failures.push('writes did not go through again within 5 s');
}

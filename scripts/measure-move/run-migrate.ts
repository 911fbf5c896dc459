// Runs `fovea migrate`, to its end or until it is killed on the way.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setInterval } from 'node:timers';
import { setTimeout as wait } from 'node:timers/promises';
import { entryUnderTest, nodeUnderTest } from '../../test/fixtures/under-test.ts';
import { readPeak } from '../attacks/process-state.ts';

export interface Moved {
  readonly seconds: number;
  readonly peakBytes: number;
  /** What it says of tables and rows. */
  readonly counts: string;
}

/** Throws what it says where it fails. */
export async function move(words: readonly string[]): Promise<Moved> {
  const startMs = performance.now();
  const { child, said } = start(words);
  let peakBytes = 0;
  const watch = setInterval(() => {
    peakBytes = Math.max(peakBytes, readPeak(child.pid ?? 0));
  }, 100);
  const [code] = await once(child, 'close');
  clearInterval(watch);
  if (code !== 0) throw new Error(said());
  const [counts = ''] = /^\d+ tables.*$/m.exec(said()) ?? [];
  const seconds = (performance.now() - startMs) / 1000;
  return { seconds, peakBytes, counts: counts.split('. ')[0] ?? '' };
}

/**
 * Kills it so often, each time at a moment by chance, and lets it then come to its end; one that
 * ends earlier is killed less often. Resolves to how often it was.
 */
export async function moveKilled(
  words: readonly string[],
  kills: number,
  wholeMs: number,
): Promise<number> {
  let killed = 0;
  for (let times = 0; times < kills; times += 1) {
    const { child, said } = start(words);
    const ended = once(child, 'close');
    await Promise.race([ended, wait(Math.random() * wholeMs)]);
    child.kill('SIGKILL');
    const [code, signal] = await ended;
    if (signal === 'SIGKILL') killed += 1;
    else if (code === 0 || isThere(said())) return killed;
    else throw new Error(said());
  }
  await move(words).catch((thrown) => {
    if (!isThere(String(thrown))) throw thrown;
  });
  return killed;
}

function isThere(said: string): boolean {
  return /There are datasets in .* already/.test(said);
}

function start(words: readonly string[]) {
  const child = spawn(nodeUnderTest, [entryUnderTest(), 'migrate', ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const output of [child.stdout, child.stderr]) {
    output.setEncoding('utf8').on('data', (text) => {
      said += text;
    });
  }
  return { child, said: () => said };
}

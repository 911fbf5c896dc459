// SIGKILL at any moment of mixed load, again and again on one data folder.

import { setTimeout as wait } from 'node:timers/promises';
import type { History } from './history.ts';
import { releaseAll, startLoad } from './load.ts';
import { type Result, Trial } from './trial.ts';

const load = { clients: 8, fileBytesMax: 2_000_000 };
const readyMsMax = 2_000;

export async function trySigkill(
  data: string,
  rounds: number,
  say: (line: string) => void,
): Promise<Result> {
  const trial = new Trial({ name: `SIGKILL, ${rounds} rounds`, data });
  for (let round = 1; round <= rounds; round += 1) {
    await trial.start();
    await trial.judge();
    await releaseAll(trial.history, trial.url);
    const running = startLoad(trial.history, trial.url, load);
    await acknowledgements(trial.history, Math.floor(Math.random() * 60));
    await wait(Math.random() * 100);
    await trial.kill();
    await running.stop();
    if (round % 20 === 0) say(`  ${round} rounds, ${trial.history.acknowledged} acknowledged`);
  }
  await trial.start();
  await trial.judge();
  await trial.kill();
  const sorted = [...trial.readyMs].sort((one, other) => one - other);
  const p95 = Math.round(sorted[Math.floor(sorted.length * 0.95)] ?? 0);
  if (p95 > readyMsMax) trial.failures.push(`ready after ${p95} ms (p95), not ${readyMsMax}`);
  return trial.result(`ready again after ${p95} ms (p95)`);
}

/** Waits for so many more, at most for a while. */
async function acknowledgements(history: History, count: number): Promise<void> {
  const wanted = history.acknowledged + count;
  for (let leftMs = 5_000; leftMs > 0 && history.acknowledged < wanted; leftMs -= 2) await wait(2);
}

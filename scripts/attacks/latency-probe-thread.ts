// The thread of a watcher: asks a service again and again, and keeps the longest wait.

import { Agent } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { parentPort } from 'node:worker_threads';
import { type Request, send } from './raw-request.ts';

export interface Watched {
  readonly url: string;
  readonly request: Request;
  readonly gapMs: number;
}

export interface Seen {
  /** The longest wait for an answer; one that has not come yet counts up to now. */
  readonly longestMs: number;
  readonly answers: number;
  /** What came in place of a success, by how often. */
  readonly refusals: Readonly<Record<string, number>>;
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 });
let longestMs = 0;
let answers = 0;
let refusals: Record<string, number> = {};
let askedMs: number | undefined;
/** Of the newest order: an older loop ends. */
let turn = 0;

parentPort?.on('message', (message: Watched | 'take' | 'stop') => {
  if (message === 'take') return take();
  turn += 1;
  if (message !== 'stop') void watch(message, turn);
});

function take(): void {
  const waitingMs = askedMs === undefined ? 0 : performance.now() - askedMs;
  const seen: Seen = { longestMs: Math.max(longestMs, waitingMs), answers, refusals };
  [longestMs, answers, refusals] = [0, 0, {}];
  // What was waited for before is not counted a second time.
  if (askedMs !== undefined) askedMs = performance.now();
  parentPort?.postMessage(seen);
}

async function watch({ url, request, gapMs }: Watched, own: number): Promise<void> {
  while (turn === own) {
    askedMs = performance.now();
    const { status } = await send(url, request, undefined, agent);
    if (turn !== own) break;
    longestMs = Math.max(longestMs, performance.now() - askedMs);
    askedMs = undefined;
    answers += 1;
    if (status < 200 || status > 299) refusals[status] = (refusals[status] ?? 0) + 1;
    await wait(gapMs);
  }
  if (turn === own) askedMs = undefined;
}

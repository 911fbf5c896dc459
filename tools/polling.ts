// Polls until a condition holds, for as long as a host waits for a tool.

import { setTimeout as sleep } from 'node:timers/promises';
import { limits } from '../src/limits.ts';
import type { ToolContext } from '../src/mcp/tool.ts';

export interface Wait {
  readonly waitMs: number;
  readonly context: Pick<ToolContext, 'clock' | 'signal'>;
}

/**
 * The first answer that is done, or the last one when the time is up. Polls every 0.5 s at first
 * and every 5 s in the end, so that an end is told a tenth of the time and 0.5 s later at most.
 * Throws what `ask` throws, and when the call is cancelled.
 */
export async function poll<Answer>(
  ask: () => Promise<Answer>,
  isDone: (answer: Answer) => boolean,
  { waitMs, context: { clock, signal } }: Wait,
): Promise<Answer> {
  const end = clock.monotonic() + waitMs;
  let gapMs: number = limits.pollGapMsMin;
  for (;;) {
    const answer = await ask();
    const leftMs = end - clock.monotonic();
    if (isDone(answer) || leftMs <= 0) return answer;
    await sleep(Math.min(gapMs, leftMs), undefined, { signal });
    gapMs = Math.min(gapMs * pollGapGrowth, limits.pollGapMsMax);
  }
}

const pollGapGrowth = 1.1;

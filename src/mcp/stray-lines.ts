// Warnings about lines of stdin that are no messages. A flood of them is told in a few lines.

import { limits } from '../limits.ts';
import type { Log, LogFields } from '../log.ts';

/** Tells of one line why it was left out, or of how many no more was said. */
export type TellStray = (message: string, fields: LogFields) => void;

/**
 * Tells of `strayLinesToldMax` lines one by one, of the others only how many there were, a second
 * after the first. A warning costs more than reading its line: half a million held up a ping.
 */
export function createTellStray(log: Log, windowMs = 1000): TellStray {
  let lines = 0;
  const endWindow = () => {
    const untold = lines - limits.strayLinesToldMax;
    if (untold > 0) log.warn('More lines on stdin were no messages.', { lines: untold });
    lines = 0;
  };
  return (message, fields) => {
    if (lines === 0) setTimeout(endWindow, windowMs).unref();
    lines += 1;
    if (lines <= limits.strayLinesToldMax) log.warn(message, fields);
  };
}

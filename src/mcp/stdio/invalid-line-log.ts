// Logs lines of stdin that are no messages; many at once are summed up in a few lines.

import { limits } from '../../limits.ts';
import type { Log, LogFields } from '../../log.ts';

export interface InvalidLineLog {
  /** Logs why a line was left out, unless many were in the same second. */
  tell(message: string, fields: LogFields): void;
  /** Says at once how many were not told. */
  flush(): void;
}

/**
 * Warns about `strayLinesToldMax` of them in each second, and then says how many more there were: a
 * warning costs more than reading its line, and half a million held up a ping.
 */
export function createInvalidLineLog(log: Log): InvalidLineLog {
  let lines = 0;
  let second: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(second);
    const untold = lines - limits.strayLinesToldMax;
    if (untold > 0) log.warn('More lines on stdin were no messages.', { lines: untold });
    lines = 0;
  };
  const tell: InvalidLineLog['tell'] = (message, fields) => {
    if (lines === 0) second = setTimeout(flush, 1000).unref();
    lines += 1;
    if (lines <= limits.strayLinesToldMax) log.warn(message, fields);
  };
  return { tell, flush };
}

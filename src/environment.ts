// The environment variables of this process, for the processes that it starts.

import type { Environment } from './config.ts';

/** For this process started again: all of them. */
export function ownEnvironment(): Environment {
  return process.env;
}

/**
 * The environment of programs that we start: all but our own variables, some of them secrets, and
 * the one that bin/memory-allocator.ts sets for this process.
 */
export function environmentOfOthers(environment: Environment = process.env): Environment {
  return Object.fromEntries(
    Object.entries(environment).filter(
      ([variable]) => !/^(FOVEA_|MALLOC_TRIM_THRESHOLD_$)/i.test(variable),
    ),
  );
}

// The environment variables of this process, for the processes and threads that it starts.

import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import type { Environment } from './config.ts';

/** For this process started again: all of them. */
export function ownEnvironment(): Environment {
  return process.env;
}

/**
 * The environment of programs that we start: all but our own variables, some of them secrets, and
 * the one that bin/memory-at-start.ts sets for this process.
 */
export function environmentOfOthers(environment: Environment = process.env): Environment {
  return Object.fromEntries(
    Object.entries(environment).filter(
      ([variable]) => !/^(FOVEA_|MALLOC_TRIM_THRESHOLD_$)/i.test(variable),
    ),
  );
}

/** For a thread: it finds what this process has compiled, and need not compile it again. */
export function threadEnvironment(): Environment {
  // Node keeps a folder of its version in the one that it is given.
  const folder = getCompileCacheDir();
  if (folder === undefined) return process.env;
  return { ...process.env, NODE_COMPILE_CACHE: dirname(folder) };
}

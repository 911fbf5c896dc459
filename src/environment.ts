// The environment variables of this process, for the processes that it starts.

import type { Environment } from './config.ts';

/** For this process started again: all of them. */
export function ownEnvironment(): Environment {
  return process.env;
}

/** The environment of programs that we start: all but our own variables, some of them secrets. */
export function environmentOfOthers(environment: Environment = process.env): Environment {
  return Object.fromEntries(
    Object.entries(environment).filter(([variable]) => !/^FOVEA_/i.test(variable)),
  );
}

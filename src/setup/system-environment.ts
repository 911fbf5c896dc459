// The machine as far as the configuration files of hosts depend on it, given so that tests can.

import type { Environment } from '../config.ts';

export interface SystemEnvironment {
  readonly platform: NodeJS.Platform;
  /** Absolute. */
  readonly homeFolder: string;
  /** Variables of others; ours are never looked at. */
  readonly environment: Environment;
}

/** A variable that holds an absolute path, which is all that hosts accept. */
export function folderIn({ environment }: SystemEnvironment, variable: string): string | undefined {
  const value = environment[variable]?.trim();
  return value && /^([/\\]|[a-z]:[/\\])/i.test(value) ? value : undefined;
}

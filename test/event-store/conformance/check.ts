// What a check is: which statements it proves, under which profile, and how.

import type { Check as CheckOf } from '../../conformance/check.ts';
import type { StatementNumber } from '../../conformance/statements.ts';
import type { Client } from './client.ts';
import type { Cloud } from './cloud.ts';
import type { ProfileName } from './profiles.ts';

/** What a check is given. */
export interface Context {
  /** Asks the service, with its key where it has one. */
  readonly client: Client;
  /** The same without a key. */
  readonly stranger: Client;
  /** The key of the service; undefined: it needs none. */
  readonly key: string | undefined;
  /** A device id under which nothing else writes. */
  readonly device: string;
  /** What the service takes for the cloud. */
  readonly cloud: Cloud;
}

export type Check = CheckOf<Context>;

/** The checks of one profile. */
export type Checks = Readonly<Record<ProfileName, readonly Check[]>>;

/** A check under its name, with the statements that it proves. */
export function check(
  name: string,
  proves: readonly StatementNumber[],
  run: (context: Context) => Promise<void>,
): Check {
  return { name, proves, run };
}

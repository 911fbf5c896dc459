// What a conformance suite is: the statements of a document, and checks that prove them, by the
// profile under which the service has to be started.

import type { Check, Outcome } from './check.ts';
import type { Statement } from './statements.ts';

export interface ConformanceSuite<ProfileName extends string, Target, CheckInput> {
  readonly statements: readonly Statement[];
  readonly profileNames: readonly ProfileName[];
  readonly checks: Readonly<Record<ProfileName, readonly Check<CheckInput>[]>>;
  /** What the profile means, and how a service is started for it. */
  describeProfile(name: ProfileName): string;
  /** Runs all checks of a profile, and tells each outcome as soon as it is known. */
  runProfile(
    name: ProfileName,
    target: Target,
    onOutcome: (outcome: Outcome<CheckInput>) => void,
  ): Promise<readonly Outcome<CheckInput>[]>;
}

// The command line of a conformance suite: runs one profile against a running service, and says
// what passed, what failed and what was not run.

import { describeOutcome, describeRun, describeStatements } from './print.ts';
import type { ConformanceSuite } from './suite.ts';

export interface SuiteCommand<ProfileName extends string, Target> {
  readonly values: {
    readonly profile: string;
    readonly list?: boolean | undefined;
    readonly help?: boolean | undefined;
  };
  /** The lines of the help before and after its profiles. */
  readonly usage: readonly string[];
  readonly notes: readonly string[];
  /** The service that is to be checked; undefined: not enough was given, and that was said. */
  openTarget(name: ProfileName): Promise<OpenTarget<Target> | undefined>;
}

interface OpenTarget<Target> {
  readonly target: Target;
  close(): Promise<void>;
}

/** The exit code: 1 where a check failed, 2 where none could run. */
export async function runSuiteCommand<ProfileName extends string, Target, CheckInput>(
  suite: ConformanceSuite<ProfileName, Target, CheckInput>,
  { values, usage, notes, openTarget }: SuiteCommand<ProfileName, Target>,
): Promise<0 | 1 | 2> {
  const { profileNames, statements, checks } = suite;
  if (values.help) {
    const profiles = profileNames.map((name) => `  ${name}: ${suite.describeProfile(name)}`);
    say([...usage, 'Profiles:', ...profiles, ...notes].join('\n'));
    return 0;
  }
  if (values.list) {
    say(describeStatements(statements, checks));
    return 0;
  }
  const name = profileNames.find((known) => known === values.profile);
  if (name === undefined) {
    say(`There is no profile "${values.profile}"; there are ${profileNames.join(', ')}.`);
    return 2;
  }
  const opened = await openTarget(name);
  if (opened === undefined) return 2;
  const outcomes = await suite.runProfile(name, opened.target, (outcome) =>
    say(describeOutcome(outcome)),
  );
  await opened.close();
  say('\nNot run:');
  for (const other of profileNames.filter((one) => one !== name)) {
    say(`  ${checks[other].length} checks of --profile ${other}: ${suite.describeProfile(other)}`);
  }
  say(`\n${describeRun(outcomes, statements)}`);
  return outcomes.every(({ failure }) => failure === undefined) ? 0 : 1;
}

export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

// `npm run attacks`: the worst that strangers can send to the release, at default settings. Each
// attack measures what another caller waits, what memory it takes, how it is answered and what it
// leaves behind. Ends with 1 where a bound is broken, or where the control, which has no bounds,
// keeps them; with 2 for wrong arguments.

import { parseArgs } from 'node:util';
import { allAttacks } from './attacks/all-attacks.ts';
import type { Measured } from './attacks/measure-attack.ts';
import { formatRow, tableHead } from './attacks/report.ts';
import { runAttacks } from './attacks/run.ts';
import { killServices } from './attacks/service.ts';
import { controlAttacks, expectedProblems } from './attacks/unbounded-control.ts';
import { releaseToTest } from './release/install.ts';

const { values } = parseArgs({
  options: {
    /** The Node that runs the release: the one of FOVEA_TEST_ENTRY, else it is installed first. */
    node: { type: 'string', default: process.execPath },
    /** Attacks whose names match this. */
    only: { type: 'string', default: '' },
    /** platform, event-store, http or stdio. */
    target: { type: 'string' },
    /** Without the attacks that take long. */
    quick: { type: 'boolean', default: false },
  },
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    killServices();
    process.exit(1);
  });
}
const release = { entry: await releaseToTest(), node: values.node };
const only = new RegExp(values.only, 'i');
const chosen = allAttacks
  .filter(({ name }) => only.test(name))
  .filter(({ target }) => values.target === undefined || target === values.target)
  .filter(({ slow }) => !(slow && values.quick));
process.exitCode = await main();
killServices();
setTimeout(() => process.exit(), 1_000).unref();

async function main(): Promise<number> {
  if (chosen.length === 0) {
    say('No attack has such a name.');
    return 2;
  }
  say(tableHead);
  const tell = (measured: Measured) => say(formatRow(measured));
  const controls = await runAttacks(controlAttacks, release, tell);
  const blind = controls.filter(({ name, problems }) => !matches(name, problems));
  for (const { name } of blind) say(`BLIND: "${name}" was not found to fail as it must`);
  const results = await runAttacks(chosen, release, tell);
  const failures = results.filter(({ problems }) => problems.length > 0);
  say(`${results.length} attacks, ${failures.length} failed; ${controls.length} controls, `);
  say(`${controls.length - blind.length} failed as they must.`);
  return failures.length + blind.length > 0 ? 1 : 0;
}

function matches(name: string, problems: readonly string[]): boolean {
  return expectedProblems[name]?.test(problems.join('; ')) ?? false;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

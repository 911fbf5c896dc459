// Holds a running Event Store against docs/spec/event-store.md, over HTTP alone, and prints which
// checks passed, failed or did not run:
// npm run conformance:event-store -- --url http://127.0.0.1:8001

import { parseArgs } from 'node:util';
import { describeOutcome, describeRun, describeStatements } from '../test/conformance/print.ts';
import { readStatements } from '../test/conformance/statements.ts';
import { checks } from '../test/event-store/conformance/checks/index.ts';
import { startCloud } from '../test/event-store/conformance/cloud.ts';
import {
  environmentOf,
  isProfileName,
  type Profile,
  type ProfileName,
  profiles,
} from '../test/event-store/conformance/profiles.ts';
import { runProfile } from '../test/event-store/conformance/run.ts';

const { values } = parseArgs({
  options: {
    url: { type: 'string', default: 'http://127.0.0.1:8001' },
    key: { type: 'string' },
    profile: { type: 'string', default: 'default' },
    'cloud-port': { type: 'string', default: '8091' },
    list: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  },
});

const names = Object.keys(profiles).filter(isProfileName);
const cloudUrl = `http://127.0.0.1:${values['cloud-port']}`;

const statements = readStatements('Event Store');

if (values.help) printHelp();
else if (values.list) say(describeStatements(statements, checks));
else if (isProfileName(values.profile)) process.exitCode = await tryProfile(values.profile);
else {
  say(`There is no profile "${values.profile}"; there are ${names.join(', ')}.`);
  process.exitCode = 2;
}

/** The exit code: 1 when something failed. */
async function tryProfile(name: ProfileName): Promise<0 | 1> {
  const cloud = await startCloud(Number(values['cloud-port']));
  const key = values.key ?? environmentOf(name, cloud.url).API_KEY;
  const outcomes = await runProfile(name, { url: values.url, key, cloud }, (outcome) =>
    say(describeOutcome(outcome)),
  );
  await cloud.close();
  say('\nNot run:');
  for (const other of names.filter((one) => one !== name)) {
    say(`  ${checks[other].length} checks of --profile ${other}: ${settingsOf(other)}`);
  }
  say(`\n${describeRun(outcomes, statements)}`);
  return outcomes.every(({ failure }) => failure === undefined) ? 0 : 1;
}

function settingsOf(name: ProfileName): string {
  const { means, also }: Profile = profiles[name];
  const variables = Object.entries(environmentOf(name, cloudUrl));
  const pairs = variables.map(([variable, value]) => `${variable}=${value}`).join(' ');
  return [means, pairs && `Start it with ${pairs}.`, also].filter(Boolean).join(' ');
}

function printHelp(): void {
  say('npm run conformance:event-store -- [--url URL] [--key KEY] [--profile NAME] [--list]');
  say('\nThe kit should be the only one that writes to the service. Profiles:');
  for (const name of names) say(`  ${name}: ${settingsOf(name)}`);
  say('\n--list prints every statement of the document with the checks that prove it.');
  say('--cloud-port is where the kit plays the cloud (8091).');
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

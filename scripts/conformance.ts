// Holds a running Event Store against its document, over HTTP alone. Says what passed, what failed
// and what was not run: npm run conformance:event-store -- --url http://127.0.0.1:8001

import { parseArgs } from 'node:util';
import { checks } from '../test/event-store/conformance/checks/index.ts';
import { startCloud } from '../test/event-store/conformance/cloud.ts';
import {
  environmentOf,
  isProfileName,
  type Profile,
  type ProfileName,
  profiles,
} from '../test/event-store/conformance/profiles.ts';
import { type Outcome, runProfile } from '../test/event-store/conformance/run.ts';
import { allSentences } from '../test/event-store/conformance/sentences.ts';

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

if (values.help) printHelp();
else if (values.list) printSentences();
else if (isProfileName(values.profile)) process.exitCode = await tryProfile(values.profile);
else {
  say(`There is no profile "${values.profile}"; there are ${names.join(', ')}.`);
  process.exitCode = 2;
}

/** The exit code: 1 when something failed. */
async function tryProfile(name: ProfileName): Promise<0 | 1> {
  const cloud = await startCloud(Number(values['cloud-port']));
  const key = values.key ?? environmentOf(name, cloud.url).API_KEY;
  const outcomes = await runProfile(name, { url: values.url, key, cloud }, printOutcome);
  await cloud.close();
  const failed = outcomes.filter(({ failure }) => failure !== undefined);
  const proven = new Set<string>(outcomes.flatMap(({ check }) => check.proves));
  say('\nNot run:');
  for (const other of names.filter((one) => one !== name)) {
    say(`  ${checks[other].length} checks of --profile ${other}: ${settingsOf(other)}`);
  }
  const sentences = allSentences.filter(({ number }) => proven.has(number)).length;
  const broken = new Set<string>(failed.flatMap(({ check }) => check.proves));
  say(`\n${outcomes.length - failed.length} passed, ${failed.length} failed.`);
  say(`${sentences} of ${allSentences.length} sentences were tried, ${broken.size} do not hold.`);
  return failed.length === 0 ? 0 : 1;
}

function printOutcome({ check, failure }: Outcome): void {
  const sentences = check.proves.join(' ');
  say(`${failure === undefined ? 'passed' : 'FAILED'}  ${check.name}  [${sentences}]`);
  if (failure !== undefined) say(failure.replaceAll(/^/gm, '          '));
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
  say('\n--list prints every sentence of the document with the checks that prove it.');
  say('--cloud-port is where the kit plays the cloud (8091).');
}

function printSentences(): void {
  const all = names.flatMap((profile) => checks[profile].map((check) => ({ profile, check })));
  for (const { number, section, words } of allSentences) {
    const proofs = all.filter(({ check }) => check.proves.some((proven) => proven === number));
    const named = proofs.map(({ profile, check }) => `${profile}: ${check.name}`).join('; ');
    say(`${number}\t${section}\t${words}\t${named}`);
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

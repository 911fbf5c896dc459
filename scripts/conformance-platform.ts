// Holds a running platform against docs/spec/api.md, over HTTP alone, and prints which checks
// passed, failed or did not run:
// npm run conformance:platform -- --url http://127.0.0.1:8000 --key KEY

import { parseArgs } from 'node:util';
import { describeOutcome, describeRun, describeStatements } from '../test/conformance/print.ts';
import { readStatements } from '../test/conformance/statements.ts';
import type { SignIn } from '../test/platform/conformance/check.ts';
import { checks, profileNames } from '../test/platform/conformance/checks/index.ts';
import {
  isProfileName,
  type ProfileName,
  profiles,
} from '../test/platform/conformance/profiles.ts';
import { runProfile } from '../test/platform/conformance/run.ts';

const { values } = parseArgs({
  options: {
    url: { type: 'string', default: 'http://127.0.0.1:8000' },
    key: { type: 'string' },
    profile: { type: 'string', default: 'default' },
    'other-key': { type: 'string' },
    token: { type: 'string' },
    'client-id': { type: 'string' },
    'client-secret': { type: 'string' },
    'redirect-uri': { type: 'string' },
    email: { type: 'string' },
    password: { type: 'string' },
    'basic-client-id': { type: 'string' },
    'basic-client-secret': { type: 'string' },
    'expired-token': { type: 'string' },
    data: { type: 'string' },
    list: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  },
});

const statements = readStatements('API');

if (values.help) printHelp();
else if (values.list) say(describeStatements(statements, checks));
else if (values.key === undefined) refuse('Give the key of a workspace: --key KEY.');
else if (isProfileName(values.profile)) {
  process.exitCode = await tryProfile(values.profile, values.key);
} else {
  refuse(`There is no profile "${values.profile}"; there are ${profileNames.join(', ')}.`);
}

/** The exit code: 1 when something failed. */
async function tryProfile(name: ProfileName, key: string): Promise<0 | 1> {
  const target = {
    url: values.url,
    key,
    otherKey: values['other-key'],
    token: values.token,
    signIn: signInOf(),
    expiredToken: values['expired-token'],
    data: values.data,
  };
  const outcomes = await runProfile(name, target, (outcome) => say(describeOutcome(outcome)));
  say('\nNot run:');
  for (const other of profileNames.filter((one) => one !== name)) {
    say(`  ${checks[other].length} checks of --profile ${other}: ${describeProfile(other)}`);
  }
  say(`\n${describeRun(outcomes, statements)}`);
  return outcomes.every(({ failure }) => failure === undefined) ? 0 : 1;
}

function signInOf(): SignIn | undefined {
  const { email, password } = values;
  const clientId = values['client-id'];
  const clientSecret = values['client-secret'];
  const redirectUri = values['redirect-uri'];
  if (!clientId || !clientSecret || !redirectUri || !email || !password) return undefined;
  const [basicId, basicSecret] = [values['basic-client-id'], values['basic-client-secret']];
  const basic =
    basicId && basicSecret ? { clientId: basicId, clientSecret: basicSecret } : undefined;
  return { clientId, clientSecret, redirectUri, email, password, basic };
}

function describeProfile(name: ProfileName): string {
  const { means, start } = profiles[name];
  return [means, start].filter(Boolean).join(' ');
}

function printHelp(): void {
  say('npm run conformance:platform -- --key KEY [--url URL] [--profile NAME] [--list]');
  say('\nEach run makes projects named conformance-…, and puts them into the trash. Profiles:');
  for (const name of profileNames) say(`  ${name}: ${describeProfile(name)}`);
  say('\n--list prints every statement of the document with the checks that prove it.');
}

function refuse(why: string): void {
  say(why);
  process.exitCode = 2;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

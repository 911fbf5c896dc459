// Holds a running platform against docs/spec/api.md, over HTTP alone, and prints which checks
// passed, failed or did not run:
// npm run conformance -- platform --url http://127.0.0.1:8000 --key KEY

import { parseArgs } from 'node:util';
import { runSuiteCommand, say } from '../../test/conformance/command.ts';
import type { SignIn } from '../../test/platform/conformance/check.ts';
import { platformSuite } from '../../test/platform/conformance/suite.ts';

const { values } = parseArgs({
  args: process.argv.slice(3),
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

process.exitCode = await runSuiteCommand(platformSuite, {
  values,
  usage: [
    'npm run conformance -- platform --key KEY [--url URL] [--profile NAME] [--list]',
    '\nEach run makes projects named conformance-…, and puts them into the trash.',
  ],
  notes: ['\n--list prints every statement of the document with the checks that prove it.'],
  openTarget: async () => {
    const { url, key, token, data } = values;
    if (key === undefined) {
      say('Give the key of a workspace: --key KEY.');
      return undefined;
    }
    const target = {
      url,
      key,
      token,
      data,
      otherKey: values['other-key'],
      signIn: signInOf(),
      expiredToken: values['expired-token'],
    };
    return { target, close: async () => undefined };
  },
});

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

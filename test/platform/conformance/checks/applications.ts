// Applications of the sign-in service: registered with `fovea application` on its own machine.

import assert from 'node:assert/strict';
import { authorizationUrl, type TestApplication } from '../../../fixtures/authorization-server.ts';
import { openFormBrowser } from '../../../fixtures/form-browser.ts';
import { runFovea } from '../../../fixtures/fovea-services.ts';
import { type Context, check, type FamilyChecks } from '../check.ts';
import { given } from '../steps.ts';

const redirectUri = 'https://example.com/back?from=fovea';

function application(context: Context, ...words: readonly string[]) {
  const data = given(context.data, '--data');
  const environment = { HOME: data, FOVEA_HOME: data, FOVEA_WORKSPACE: context.workspace };
  return runFovea(['application', ...words, '--data', data], environment);
}

/** Adds one with these options; it must be taken. */
async function add(
  context: Context,
  options: Readonly<Record<string, string>>,
): Promise<TestApplication> {
  const words = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  const { code, stdout, stderr } = await application(context, 'add', ...words);
  assert.equal(code, 0, stderr);
  const [, id] = /^client_id: (\S+)$/m.exec(stdout) ?? [];
  const [, secret] = /^client_secret: (\S+)$/m.exec(stdout) ?? [];
  assert.ok(secret, 'the secret is shown');
  const uri = options['redirect-uri'] ?? redirectUri;
  return { id: given(id, 'a client_id'), secret, auth: 'client_secret_post', redirectUri: uri };
}

export const applicationChecks: FamilyChecks = {
  applications: [
    check(
      'an application has its fields, and its secret is shown once',
      ['24.15'],
      async (context) => {
        const options = {
          name: 'Conformance',
          homepage: 'https://example.com',
          visibility: 'Unlisted',
          'redirect-uri': redirectUri,
          auth: 'client_secret_basic',
          scope: 'project:read',
        };
        const { id, secret = '' } = await add(context, options);
        const { stdout: list } = await application(context, 'list');
        const line = list.split('\n').find((each) => each.startsWith(id)) ?? '';
        for (const value of [options.name, options.auth, options.visibility, redirectUri]) {
          assert.ok(line.includes(value), `${value} in ${line}`);
        }
        assert.ok(!list.includes(secret), 'the list has no secret');
        assert.equal((await application(context, 'remove', id)).code, 0);
        assert.ok(!(await application(context, 'list')).stdout.includes(id), 'it is gone');
      },
    ),
    check('a redirect URI is https, or http on loopback', ['24.16'], async (context) => {
      for (const uri of ['http://example.com/back', 'http://10.0.0.1/back', 'ftp://example.com/']) {
        const words = ['--name', 'Wrong', '--redirect-uri', uri];
        const { code, stdout } = await application(context, 'add', ...words);
        assert.notEqual(code, 0, uri);
        assert.doesNotMatch(stdout, /client_/, uri);
      }
      for (const uri of [
        redirectUri,
        'http://localhost:1/a',
        'http://127.0.0.1:2/b',
        'http://[::1]:3/c',
      ]) {
        const made = await add(context, { name: 'Right', 'redirect-uri': uri });
        // Who may come back to this address is asked to sign in.
        const visit = await openFormBrowser().get(authorizationUrl(context.client, made).url);
        assert.equal(
          visit.next?.origin,
          new URL(context.client.url).origin,
          `${uri}: ${visit.status}`,
        );
        await application(context, 'remove', made.id);
      }
    }),
  ],
};

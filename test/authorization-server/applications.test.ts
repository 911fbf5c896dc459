// Applications: which redirect URIs are right, what is kept of a secret, and the command.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { openAdministration } from '../../src/authorization-server/administration.ts';
import { systemClock } from '../../src/clock.ts';
import type { ApplicationValues } from '../../src/commands.ts';
import { scopes } from '../../src/contract/scopes.ts';
import {
  signIn,
  startTestAuthorizationServer,
  validate,
} from '../fixtures/authorization-server.ts';
import { entryUnderTest, nodeUnderTest } from '../fixtures/under-test.ts';

async function open() {
  const data = await mkdtemp(join(tmpdir(), 'fovea-applications-'));
  const administration = await openAdministration(data, systemClock);
  onTestFinished(async () => {
    await administration.close();
    await rm(data, { recursive: true });
  });
  return { data, applications: administration.applications };
}

const values: ApplicationValues = {
  name: 'Labels',
  redirectUris: ['https://labels.example.com/back'],
  scopes: [],
  desktop: false,
  mcp: false,
};

const right = undefined;
const plainHttp = 'must be https; plain http is for localhost, 127.0.0.1 and [::1] only';

test.each([
  ['https://example.com/back', right],
  ['https://example.com', right],
  ['https://example.com/', right],
  ['https://example.com:8443/a/b?c=d&e=f', right],
  ['https://192.0.2.1/back', right],
  ['https://xn--bcher-kva.example/back', right],
  ['https://example.com/a%2Fb', right],
  ['http://localhost/back', right],
  ['http://localhost:8080/back', right],
  ['http://127.0.0.1:8976/callback', right],
  ['http://[::1]:8976/callback', right],
  ['http://example.com/back', plainHttp],
  ['http://localhost.example.com/back', plainHttp],
  ['http://127.0.0.1.example.com/back', plainHttp],
  ['http://127.0.0.2/back', plainHttp],
  ['http://0.0.0.0/back', plainHttp],
  ['http://10.0.0.1/back', plainHttp],
  ['http://[::ffff:127.0.0.1]/back', plainHttp],
  ['http://2130706433/back', 'must be written as http://127.0.0.1/back'],
  ['http://127.1/back', 'must be written as http://127.0.0.1/back'],
  ['http://0x7f.0.0.1/back', 'must be written as http://127.0.0.1/back'],
  ['https://example.com/back#', 'must have no fragment ("#")'],
  ['https://example.com/back#part', 'must have no fragment ("#")'],
  ['https://user@example.com/back', 'must have no "@"'],
  ['https://example.com@evil.example/back', 'must have no "@"'],
  ['https://*.example.com/back', 'must be exact: there are no wildcards'],
  ['https://example.com/*', 'must be exact: there are no wildcards'],
  ['https://example.com/a/../back', 'must be written as https://example.com/back'],
  ['https://example.com/a/%2e%2e/back', 'must be written as https://example.com/back'],
  ['https://EXAMPLE.com/back', 'must be written as https://example.com/back'],
  ['HTTPS://example.com/back', 'must be written as https://example.com/back'],
  ['https://example.com:443/back', 'must be written as https://example.com/back'],
  ['https://example.com./back', 'must name its host without a dot at the end'],
  ['https://example.com\\@evil.example/back', 'must have no backslash'],
  ['https:/example.com/back', 'must be a whole https URL'],
  ['//example.com/back', 'must be a whole https URL'],
  ['/back', 'must be a whole https URL'],
  ['javascript:alert(1)', 'must be a whole https URL'],
  ['data:text/html,x', 'must be a whole https URL'],
  ['com.example.app:/back', 'must be a whole https URL'],
  ['urn:ietf:wg:oauth:2.0:oob', 'must be a whole https URL'],
  ['https://example.com/ba ck', 'must be ASCII without blanks (IDNs in their xn-- form)'],
  ['https://example.com/back\n', 'must be ASCII without blanks (IDNs in their xn-- form)'],
  ['https://exa\tmple.com/back', 'must be ASCII without blanks (IDNs in their xn-- form)'],
  ['https://bücher.example/back', 'must be ASCII without blanks (IDNs in their xn-- form)'],
  ['https://еxample.com/back', 'must be ASCII without blanks (IDNs in their xn-- form)'],
  [`https://example.com/${'x'.repeat(2_000)}`, 'must have at most 2000 characters'],
  ['', 'must be ASCII without blanks (IDNs in their xn-- form)'],
])('redirect URI %j: %s', async (uri, problem) => {
  const { applications } = await open();
  const register = () => applications.add({ ...values, redirectUris: [uri] }, 'acme');
  if (problem === right) {
    expect((await register()).application.redirectUris).toEqual([uri]);
  } else {
    await expect(register()).rejects.toThrow(`redirect_uris[0]: ${problem}`);
    expect(await applications.list()).toEqual([]);
  }
});

test('an application has an id and a secret of which only the hash stays', async () => {
  const { data, applications } = await open();
  const { application, secret } = await applications.add({ ...values, mcp: true }, 'acme');
  expect(application).toEqual({
    id: expect.stringMatching(/^fva_[\w-]{22}$/),
    name: 'Labels',
    homepage: undefined,
    redirectUris: ['https://labels.example.com/back'],
    authentication: 'client_secret_post',
    secretHash: expect.stringMatching(/^[\w-]{43}$/),
    scopes: [...scopes],
    visibility: 'Internal',
    isDesktop: false,
    isMcp: true,
    resource: undefined,
    workspace: 'acme',
    created: expect.any(Number),
  });
  expect(secret?.reveal()).toMatch(/^fvs_[\w-]{43}$/);
  expect(await applications.find(application.id)).toEqual(application);
  expect(JSON.stringify(await applications.list())).not.toContain(secret?.reveal());
  const files = ['sign-in.db', 'sign-in.db-wal'].map((name) => join(data, name));
  const bytes = await Promise.all(files.map((file) => readFile(file, 'latin1').catch(() => '')));
  expect(bytes.join('')).toContain(application.id);
  expect(bytes.join('')).not.toContain(secret?.reveal());
});

test('a public application has no secret', async () => {
  const { applications } = await open();
  const { application, secret } = await applications.add({ ...values, auth: 'none' }, 'acme');
  expect([application.secretHash, secret]).toEqual([undefined, undefined]);
});

test.each([
  [{ name: '' }, 'name: must have 1 to 100 characters'],
  [{ name: 'a\u202Eb' }, 'name: must have no invisible characters or line breaks'],
  [{ homepage: 'javascript:alert(1)' }, /^homepage: must be an http or https URL/],
  [{ homepage: 'https://user:pass@example.com' }, /^homepage: must be an http or https URL/],
  [{ auth: 'private_key_jwt' }, /^auth: must be one of client_secret_post, client_secret_basic/],
  [{ visibility: 'internal' }, 'visibility: must be one of Internal, Unlisted, Public'],
  [{ redirectUris: [] }, 'redirect_uris: needs one at least'],
  [
    { redirectUris: ['https://a.example/', 'https://a.example/'] },
    'redirect_uris[1]: is there twice',
  ],
  [
    { redirectUris: Array.from({ length: 21 }, (_, n) => `https://a.example/${n}`) },
    'redirect_uris: may be 20 at most',
  ],
  [
    { desktop: true },
    'redirect_uris[0]: must be http on 127.0.0.1, [::1] or localhost for a desktop application',
  ],
  [
    { scopes: ['project:raed'] },
    'scopes: there is no scope "project:raed"; did you mean project:read?',
  ],
  [{ resource: 'http://example.com/mcp' }, `resource: ${plainHttp}`],
  [{ resource: 'https://example.com/mcp#x' }, /^resource: must have neither a fragment/],
  [{ resource: 'urn:mcp' }, 'resource: must be an https URL'],
  [{ resource: 'https://EXAMPLE.com/mcp' }, 'resource: must be written as https://example.com/mcp'],
  [
    { resource: 'https://example.com/mcp', auth: 'none' },
    /^resource: an MCP server needs a secret/,
  ],
])('%j is refused: %s', async (wrong, message) => {
  const { applications } = await open();
  await expect(applications.add({ ...values, ...wrong }, 'acme')).rejects.toThrow(message);
  expect(await applications.list()).toEqual([]);
});

test('all that is wrong is said at once', async () => {
  const { applications } = await open();
  const wrong = { ...values, name: '', auth: 'x', redirectUris: ['x', 'https://a.example/#'] };
  await expect(applications.add(wrong, 'a b')).rejects.toThrow(
    'name: must have 1 to 100 characters; ' +
      'auth: must be one of client_secret_post, client_secret_basic, none; ' +
      'workspace: must be a slug, for example "my-team"; ' +
      'redirect_uris[0]: must be a whole https URL; ' +
      'redirect_uris[1]: must have no fragment ("#")',
  );
});

test('openid is always allowed, and scopes stand in the order of the specification', async () => {
  const { applications } = await open();
  const given = { ...values, scopes: ['version:read', 'image:read', 'image:read'] };
  const { application } = await applications.add(given, 'acme');
  expect(application.scopes).toEqual(['openid', 'image:read', 'version:read']);
});

test('an MCP server is found by its address, and nobody else can have it', async () => {
  const { applications } = await open();
  const server = { ...values, redirectUris: [], resource: 'https://example.com/mcp/' };
  const { application } = await applications.add(server, 'acme');
  expect(application.resource).toBe('https://example.com/mcp');
  expect((await applications.findByResource('https://example.com/mcp'))?.id).toBe(application.id);
  await expect(applications.add(server, 'other')).rejects.toThrow(
    'Another application has that resource',
  );
});

test('only those of the given workspaces are listed and removed', async () => {
  const { applications } = await open();
  const { application } = await applications.add(values, 'acme');
  await applications.add({ ...values, name: 'Another' }, 'other');
  expect((await applications.list()).map(({ name }) => name)).toEqual(['Another', 'Labels']);
  expect((await applications.list(['acme'])).map(({ name }) => name)).toEqual(['Labels']);
  expect(await applications.remove(application.id, ['other'])).toBe(false);
  expect(await applications.remove(application.id, ['acme'])).toBe(true);
  expect(await applications.remove(application.id)).toBe(false);
});

/** `fovea application …`. */
async function run(data: string, argv: readonly string[], publicUrl?: string) {
  const command = [entryUnderTest(), 'application', ...argv, '--data', data];
  const child = spawn(nodeUnderTest, command, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      HOME: data,
      FOVEA_WORKSPACE: 'acme',
      FOVEA_PUBLIC_URL: publicUrl,
    },
  });
  const [[code], out, err] = await Promise.all([
    once(child, 'close'),
    text(child.stdout),
    text(child.stderr),
  ]);
  return { code, out, err };
}

test('the command registers at a running service, and ends its sign-ins with it', async () => {
  const service = await startTestAuthorizationServer();
  onTestFinished(() => service.close());
  const redirectUri = 'http://127.0.0.1:8976/callback';
  const argv = ['add', '--name', 'Command', '--redirect-uri', redirectUri];
  const added = await run(service.data, [...argv, '--auth', 'client_secret_basic']);
  expect([added.code, added.err]).toEqual([
    0,
    'The secret is shown this once: nobody can show it again.\n',
  ]);
  const [, id = '', secret = ''] =
    /^client_id: (fva_[\w-]{22})\nclient_secret: (fvs_[\w-]{43})\n$/.exec(added.out) ?? [];
  const application = { id, secret, auth: 'client_secret_basic', redirectUri } as const;
  const { accessToken } = await signIn(service, application);
  expect((await validate(service, accessToken)).body.workspace_url).toBe('acme');
  const { out } = await run(service.data, ['list']);
  expect(out).toContain(
    `${id}  Command  client_secret_basic  Internal    acme       ${redirectUri}`,
  );
  expect(out).not.toContain('fvs_');
  const removed = await run(service.data, ['remove', id]);
  expect(removed.out).toBe(`The application ${id} is gone, and all its sign-ins have ended.\n`);
  expect((await validate(service, accessToken)).body.active).toBe(false);
  const again = await run(service.data, ['remove', id]);
  expect([again.code, again.err]).toEqual([
    2,
    `fovea: There is no application "${id}".\nfovea application list shows all.\n`,
  ]);
});

test('the command says which option is wrong', async () => {
  const data = await mkdtemp(join(tmpdir(), 'fovea-applications-'));
  onTestFinished(() => rm(data, { recursive: true }));
  const wrong = ['add', '--name', 'x', '--redirect-uri', 'https://a.example/'];
  const two = await run(data, [...wrong, '--redirect-uri', 'ftp://a', '--scope', 'zzzz']);
  expect([two.code, two.err]).toEqual([
    2,
    'fovea: --redirect-uri (2 of 2): must be a whole https URL; --scope: there is no scope "zzzz"\n',
  ]);
  const none = await run(data, ['add', '--name', 'x', '--auth', 'y']);
  expect(none.err).toBe(
    'fovea: --auth: must be one of client_secret_post, client_secret_basic, none; ' +
      '--redirect-uri: needs one at least\n',
  );
});

test('the command registers nothing at the address of the service itself', async () => {
  const data = await mkdtemp(join(tmpdir(), 'fovea-applications-'));
  onTestFinished(() => rm(data, { recursive: true }));
  const own = 'https://fovea.example';
  const add = (resource: string) =>
    run(data, ['add', '--name', 'MCP server', '--resource', resource], own);
  for (const resource of [own, `${own}/mcp`]) {
    expect(await add(resource)).toEqual({
      code: 2,
      out: '',
      err: 'fovea: --resource: is at the address of this service itself\nName the address of another MCP server.\n',
    });
  }
  expect((await add('https://mcp.example/mcp')).code).toBe(0);
});

// Accounts: who may be added, how passwords are kept, and the command that does it.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { openAdministration } from '../../src/authorization-server/administration.ts';
import { hashPassword } from '../../src/authorization-server/password-hash.ts';
import { createAccountStore } from '../../src/authorization-server/store/account-store.ts';
import { signInMigrations } from '../../src/authorization-server/store/schema.ts';
import { systemClock } from '../../src/clock.ts';
import { Secret } from '../../src/secret.ts';
import { openAsyncDatabase } from '../../src/storage/async-database.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { authorizationUrl, refresh, signIn, validate } from '../fixtures/authorization-server.ts';
import { openFormBrowser } from '../fixtures/form-browser.ts';
import { entryUnderTest, nodeUnderTest } from '../fixtures/under-test.ts';
import { addGrace, administer, authenticate } from './page-visits.ts';
import { shareService } from './shared-service.ts';

const start = shareService();

const password = new Secret('twelve or so');

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'fovea-accounts-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

async function open() {
  const data = await emptyFolder();
  const administration = await openAdministration(data, systemClock);
  onTestFinished(() => administration.close());
  return { data, accounts: administration.accounts };
}

const ada = { name: 'Ada Lovelace', email: 'ada@example.com', workspaces: ['b', 'a'] };

test('an account is added, listed and removed', async () => {
  const { accounts } = await open();
  const added = await accounts.add({ ...ada, password });
  expect(added.id).toMatch(/^fvu_[\w-]{22}$/);
  expect(await accounts.list()).toEqual([
    { ...ada, workspaces: ['a', 'b'], id: added.id, created: expect.any(Number) },
  ]);
  expect((await accounts.find(added.id))?.name).toBe('Ada Lovelace');
  expect(await accounts.remove('nobody')).toBe(false);
  expect(await accounts.remove('ADA@EXAMPLE.COM')).toBe(true);
  expect(await accounts.list()).toEqual([]);
  const again = await accounts.add({ ...ada, password });
  expect(again.id).not.toBe(added.id);
});

test.each([
  [{ name: '' }, 'name: must have 1 to 100 characters'],
  [{ name: 'x'.repeat(101) }, 'name: must have 1 to 100 characters'],
  [{ name: 'ada@example.com' }, 'name: must have no "@"'],
  [{ name: 'Ada\u202Eecalevol' }, 'name: must have no invisible characters or line breaks'],
  [{ name: 'Ada\nLovelace' }, 'name: must have no invisible characters or line breaks'],
  [{ name: '\u0430da' }, 'name: must have letters of one alphabet'],
  [{ name: 'Ada \u039Bovelace' }, 'name: must have letters of one alphabet'],
  [{ name: 'Ada\u200B' }, 'name: must have no invisible characters or line breaks'],
  [{ email: 'ada' }, 'email: must be an email address, for example ada@example.com'],
  [{ email: 'a@b@c' }, 'email: must be an email address, for example ada@example.com'],
  [{ email: '<a@b>' }, 'email: must be an email address, for example ada@example.com'],
  [{ workspaces: ['a/b'] }, 'workspace: must be a slug, for example "my-team"'],
  [{ workspaces: ['.'] }, 'workspace: must be a slug, for example "my-team"'],
  [{ workspaces: ['..'] }, 'workspace: must be a slug, for example "my-team"'],
  [{ workspaces: ['__proto__'] }, 'workspace: must be a slug, for example "my-team"'],
  [{ workspaces: ['a\u0007b'] }, 'workspace: must be a slug, for example "my-team"'],
  [{ workspaces: ['a\u009Bb'] }, 'workspace: must be a slug, for example "my-team"'],
  [{ workspaces: ['a\u202Eb'] }, 'workspace: must be a slug, for example "my-team"'],
  [{ workspaces: ['a\\b'] }, 'workspace: must be a slug, for example "my-team"'],
  [{ workspaces: [''] }, 'workspace: must be a slug, for example "my-team"'],
  [{ password: new Secret('eleven char') }, 'password: must have 12 to 200 characters'],
  [{ password: new Secret('x'.repeat(201)) }, 'password: must have 12 to 200 characters'],
])('%j is refused: %s', async (wrong, message) => {
  const { accounts } = await open();
  const adding = accounts.add({ ...ada, password, ...wrong });
  await expect(adding).rejects.toMatchObject({ code: 'invalid_input', message });
  expect(await accounts.list()).toEqual([]);
});

test('name and email are taken in any spelling, also by two at once', async () => {
  const { accounts } = await open();
  const both = [0, 1].map(() => accounts.add({ ...ada, password }).catch(({ code }) => code));
  const results = await Promise.all(both);
  expect(results.filter((each) => each === 'conflict')).toHaveLength(1);
  const conflict = expect.objectContaining({ code: 'conflict' });
  const other = { name: 'Other', email: 'other@example.com', workspaces: [], password };
  await expect(accounts.add({ ...other, name: ' ADA lovelace ' })).rejects.toEqual(conflict);
  await expect(accounts.add({ ...other, email: 'Ada@Example.com' })).rejects.toEqual(conflict);
  // Full-width letters, which look alike.
  await expect(accounts.add({ ...other, name: 'Ａda Lovelace' })).rejects.toEqual(conflict);
  expect(await accounts.list()).toHaveLength(1);
});

test('passwords are kept by scrypt with a salt of their own, and as nothing else', async () => {
  const { data, accounts } = await open();
  await accounts.add({ ...ada, password });
  await accounts.add({ name: 'Same', email: 'same@example.com', workspaces: [], password });
  const files = ['sign-in.db', 'sign-in.db-wal'].map((name) => join(data, name));
  const bytes = await Promise.all(files.map((file) => readFile(file, 'latin1').catch(() => '')));
  const kept = new Set(bytes.join('').match(/scrypt\$32768\$8\$1\$[\w-]{22}\$[\w-]{43}/g));
  expect(kept.size).toBe(2);
  expect(bytes.join('')).not.toContain('twelve or so');
  expect((await authenticate(accounts, 'same', password))?.name).toBe('Same');
  expect(await authenticate(accounts, 'same', new Secret('twelve or sO'))).toBeUndefined();
  expect(await authenticate(accounts, 'nobody', password)).toBeUndefined();
  expect(await authenticate(accounts, '', new Secret(''))).toBeUndefined();
});

test('a password is the same on every keyboard', async () => {
  const { accounts } = await open();
  await accounts.add({ ...ada, password: new Secret('caf\u00E9 caf\u00E9 caf\u00E9') });
  const decomposed = new Secret('cafe\u0301 cafe\u0301 cafe\u0301');
  expect((await authenticate(accounts, 'ada lovelace', decomposed))?.name).toBe('Ada Lovelace');
});

test('a password that is replaced while it is checked is wrong', async () => {
  const { data, accounts } = await open();
  const { id } = await accounts.add({ ...ada, password });
  const database = openAsyncDatabase(join(data, 'sign-in.db'), signInMigrations);
  onTestFinished(() => database.close());
  const { begun } = await database.transaction(async () => {
    const attempt = authenticate(accounts, ada.name, password);
    await setImmediate();
    const ends = { keptSession: undefined, programs: false };
    await createAccountStore(database).setPassword(id, 'scrypt$another', ends);
    return { begun: attempt };
  });
  expect(await begun).toBeUndefined();
});

test('what an account had ends with it: tokens, refreshes, and never comes back', async () => {
  const service = await start();
  const owner = await addGrace(service, ['acme']);
  const { post } = service.applications;
  const tokens = await signIn(service, post, {}, openFormBrowser(), owner);
  expect((await validate(service, tokens.accessToken)).body.active).toBe(true);
  await administer(service, async ({ accounts }) => {
    await accounts.remove(owner.name);
    const { name, email, password: same } = owner;
    await accounts.add({ name, email, workspaces: ['acme'], password: new Secret(same) });
  });
  expect((await validate(service, tokens.accessToken)).body.active).toBe(false);
  const answer = await refresh(service, post, tokens.refreshToken);
  expect([answer.status, answer.body.error]).toEqual([400, 'invalid_grant']);
});

test('the browser of a removed account is asked who it is', async () => {
  const service = await start();
  const owner = await addGrace(service, ['acme']);
  const { post } = service.applications;
  const browser = openFormBrowser();
  await signIn(service, post, {}, browser, owner);
  await administer(service, ({ accounts }) => accounts.remove(owner.name));
  const { status, next } = await browser.get(authorizationUrl(service, post).url);
  expect([status, next?.pathname]).toEqual([303, expect.stringMatching(/^\/oauth\/sign-in\//)]);
  const page = await browser.get(next ?? '');
  expect([page.status, page.text]).toEqual([200, expect.stringContaining('name="password"')]);
});

test('many passwords at once leave threads for files', async () => {
  const order: string[] = [];
  // Three for each thread: a file that had to wait behind them would come late.
  const hashes = Array.from({ length: 12 }, () =>
    hashPassword(password).then(() => order.push('hash')),
  );
  // By then all that may run at once does.
  await setImmediate();
  await stat('.').then(() => order.push('file'));
  await Promise.all(hashes);
  expect(order).toHaveLength(13);
  expect(order.indexOf('file')).toBeLessThan(4);
});

/** `fovea account …` on an empty folder, or on one that is there. */
async function run(data: string, argv: readonly string[], stdin = '') {
  const command = [entryUnderTest(), 'account', ...argv, '--data', data];
  const child = spawn(nodeUnderTest, command, {
    stdio: 'pipe',
    env: { PATH: process.env.PATH, HOME: data },
  });
  child.stdin.on('error', () => {});
  child.stdin.end(stdin);
  const [[code], out, err] = await Promise.all([
    once(child, 'close'),
    text(child.stdout),
    text(child.stderr),
  ]);
  return { code, out, err };
}

test('the command adds, lists and removes; the password is a line of stdin', async () => {
  const data = await emptyFolder();
  const none = await run(data, ['list']);
  expect(none.out).toBe(
    'There is no account. "fovea account add NAME --email ADDRESS" makes one.\n',
  );
  const argv = ['add', 'Ada Lovelace', '--email', 'ada@example.com'];
  const added = await run(data, argv, 'a-password-for-tests\nmore\n');
  expect(added).toEqual({
    code: 0,
    out: expect.stringMatching(/^Ada Lovelace can sign in now \(fvu_[\w-]{22}\)\.\n$/),
    err: '',
  });
  const grace = ['add', 'Grace', '--email', 'g@example.com', '--workspace', 'x'];
  await run(data, [...grace, '--workspace', 'y'], 'a-password-for-tests\r\n');
  const { out } = await run(data, ['list']);
  expect(out.replaceAll(/fvu_[\w-]{22}/g, 'ID')).toBe(
    'NAME          EMAIL            WORKSPACES  ID\n' +
      'Ada Lovelace  ada@example.com  local       ID\n' +
      'Grace         g@example.com    x, y        ID\n',
  );
  const administration = await openAdministration(data, systemClock);
  onTestFinished(() => administration.close());
  const secret = new Secret('a-password-for-tests');
  expect(await authenticate(administration.accounts, 'grace', secret)).toBeDefined();
  const removed = await run(data, ['remove', 'GRACE']);
  expect([removed.code, removed.out]).toEqual([
    0,
    'The account GRACE is gone, and all its sign-ins have ended.\n' +
      'API keys that it made belong to the workspace and go on. "Keys" on the platform\'s page\n' +
      'lists them as made by "Grace (removed)", and revokes them.\n',
  ]);
  expect((await administration.accounts.list()).map(({ name }) => name)).toEqual(['Ada Lovelace']);
});

test('the list obeys no control characters that an earlier release let in', async () => {
  const { data, accounts } = await open();
  await accounts.add({ ...ada, password });
  const database = openDatabase(join(data, 'sign-in.db'), signInMigrations);
  database.run('UPDATE accounts SET name = ?', ['Ada\u001B[2J\u009B1m\u202E']);
  database.close();
  const { out } = await run(data, ['list']);
  expect(out).toContain('Ada\uFFFD[2J\uFFFD1m\uFFFD  ada@example.com');
});

test('a new password signs out all browsers, and programs where that is asked for', async () => {
  const service = await start();
  const owner = await addGrace(service, ['acme']);
  const { post } = service.applications;
  const browser = openFormBrowser();
  const { accessToken, refreshToken } = await signIn(service, post, {}, browser, owner);
  const silent = async () => {
    const { url } = authorizationUrl(service, post, { prompt: 'none' });
    return (await browser.get(url)).next?.searchParams.get('error');
  };
  expect(await silent()).toBe('consent_required');
  const given = await run(service.data, ['password', 'GRACE hopper'], 'another password\n');
  expect(given).toEqual({
    code: 0,
    out: 'The password of GRACE hopper is changed, and all browsers are signed out.\n',
    err: '',
  });
  expect(await silent()).toBe('login_required');
  expect((await validate(service, accessToken)).body.active).toBe(true);
  const argv = ['password', owner.email, '--sign-out'];
  const { out } = await run(service.data, argv, 'a third password\n');
  expect(out).toContain('is changed, and all browsers and programs are signed out.');
  expect((await validate(service, accessToken)).body.active).toBe(false);
  expect((await refresh(service, post, refreshToken)).body.error).toBe('invalid_grant');
  const typedBy = (typed: string) =>
    administer(service, ({ accounts }) => authenticate(accounts, owner.name, new Secret(typed)));
  expect(await typedBy(owner.password)).toBeUndefined();
  expect((await typedBy('a third password'))?.email).toBe(owner.email);
});

test.each([
  [['add', 'Ada'], '', 'fovea: --email: is missing\nFor example: --email ada@example.com\n'],
  [
    ['add', 'Ada', '--email', 'ada@example.com'],
    'short\n',
    'fovea: password: must have 12 to 200 characters\nA few random words are good.\n',
  ],
  [
    ['add', 'Ada', '--email', 'ada@example.com'],
    '',
    'fovea: password: is empty: send it as a line on stdin\n',
  ],
  [
    ['add', 'Ada', '--email', 'ada'],
    'a-password-for-tests\n',
    'fovea: email: must be an email address, for example ada@example.com\n',
  ],
  [['password', 'Ada'], '', 'fovea: There is no account "Ada".\nfovea account list shows all.\n'],
  [['remove', 'Ada'], '', 'fovea: There is no account "Ada".\nfovea account list shows all.\n'],
])('%j with %j ends with code 2', async (argv, stdin, err) => {
  const data = await emptyFolder();
  expect(await run(data, argv, stdin)).toEqual({ code: 2, out: '', err });
});

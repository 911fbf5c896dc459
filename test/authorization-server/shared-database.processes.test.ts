// The sign-in service on PostgreSQL: what it needs of its storage, two services on one database
// that take turns at every request, and processes with data folders of their own.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openSignInDatabase } from '../../src/authorization-server/sign-in-database.ts';
import { Secret } from '../../src/secret.ts';
import {
  authorizationUrl,
  person,
  postForm,
  refresh,
  type SignedIn,
  signedIn,
  signIn,
  startTestAuthorizationServer,
  type TestApplication,
  type TestAuthorizationServer,
  validate,
} from '../fixtures/authorization-server.ts';
import { agree, openFormBrowser } from '../fixtures/form-browser.ts';
import { freePort, runFovea, startFovea } from '../fixtures/fovea-services.ts';
import { hasPostgres, type PostgresServer, startPostgres } from '../fixtures/postgres-server.ts';
import { startRoundRobin } from '../fixtures/round-robin.ts';
import { adapterOver, judgeAdapter } from './oidc-adapter-suite.ts';
import { administer, send, walk, wordsOf } from './page-visits.ts';
import { openConnections } from './settings-visits.ts';

let server: PostgresServer;

const databasePassword = 'a-password-of-the-database';

/** A new database. The server takes any password, and this one is looked for in all output. */
async function newDatabase(): Promise<Secret> {
  const url = await server.database();
  return new Secret(`${url.reveal()}&password=${databasePassword}`);
}

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'fovea-shared-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Two services behind one address, which take turns. */
async function openTwo(): Promise<TestAuthorizationServer> {
  const databaseUrl = await newDatabase();
  const { url, to } = await startRoundRobin();
  const services: TestAuthorizationServer[] = [];
  for (let count = 0; count < 2; count += 1) {
    const [first] = services;
    const service = await startTestAuthorizationServer({
      databaseUrl,
      publicUrl: url,
      ...(first && { beside: first }),
    });
    onTestFinished(() => service.close());
    services.push(service);
    to.push(service.url);
  }
  const [first] = services;
  if (first === undefined) throw new Error('no service');
  return { ...first, url };
}

describe.skipIf(!hasPostgres)('on PostgreSQL (needs initdb)', { timeout: 120_000 }, () => {
  beforeAll(async () => {
    server = await startPostgres();
  }, 60_000);

  afterAll(() => server.stop());

  judgeAdapter(async () => {
    const database = await openSignInDatabase('', await newDatabase());
    onTestFinished(async () => database.close());
    return adapterOver(database);
  });

  test('two services take turns: a sign-in goes through, and its tokens are those of both', async () => {
    const service = await openTwo();
    const { post } = service.applications;
    const tokens = await signIn(service, post, { scope: 'openid email' });
    for (let turn = 0; turn < 2; turn += 1) {
      expect((await validate(service, tokens.accessToken)).body).toMatchObject({ active: true });
    }
    let { refreshToken } = tokens;
    for (let turn = 0; turn < 3; turn += 1) {
      const next = signedIn(await refresh(service, post, refreshToken));
      expect(next.refreshToken).not.toBe(refreshToken);
      refreshToken = next.refreshToken;
    }
    await postForm(`${service.url}/oauth/revoke`, post, { token: refreshToken });
    expect((await validate(service, tokens.accessToken)).body).toMatchObject({ active: false });
    expect((await refresh(service, post, refreshToken)).body).toMatchObject({
      error: 'invalid_grant',
    });
  });

  test('of refreshes at once at both, all have the same successor', async () => {
    const service = await openTwo();
    const { post } = service.applications;
    const { refreshToken } = await signIn(service, post);
    const all = await Promise.all(
      Array.from({ length: 8 }, () => refresh(service, post, refreshToken)),
    );
    expect(new Set(all.map((answer) => signedIn(answer).refreshToken)).size).toBe(1);
  });

  test('of uses of a code at once at both, one has tokens at most', async () => {
    const service = await openTwo();
    const { post } = service.applications;
    const proof = authorizationUrl(service, post);
    const final = await service.agree(proof.url);
    const fields = {
      grant_type: 'authorization_code',
      code: final.searchParams.get('code') ?? '',
      redirect_uri: post.redirectUri,
      code_verifier: proof.verifier,
    };
    const all = await Promise.all(
      Array.from({ length: 8 }, () => postForm(`${service.url}/oauth/token`, post, fields)),
    );
    expect(all.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
    expect(all.filter(({ status }) => status >= 500)).toEqual([]);
  });

  test('somebody else signs in where another one was, and a form counts once at both', async () => {
    const service = await openTwo();
    const grace = { name: 'Grace Hopper', email: 'grace@example.com', password: person.password };
    await administer(service, ({ accounts }) =>
      accounts.add({ ...grace, workspaces: ['acme'], password: new Secret(grace.password) }),
    );
    const browser = openFormBrowser();
    const { post } = service.applications;
    await signIn(service, post, {}, browser);
    const proof = authorizationUrl(service, post, { prompt: 'login' });
    const page = await walk(browser, proof.url);
    const fields = { name: grace.name, password: grace.password };
    const all = await Promise.all([1, 2, 3, 4].map(() => send(browser, service, page, fields)));
    expect(all.map(({ status }) => status).toSorted()).toEqual([200, 403, 403, 403]);
    const onward = all.find(({ status }) => status === 200)?.next;
    const consent = await walk(browser, onward ?? '');
    expect(wordsOf(consent)).toContain('Grace Hopper');
    expect(wordsOf(consent)).not.toContain('Ada Lovelace');
  });

  test('wrong passwords at both count together', async () => {
    const service = await openTwo();
    const tried = async () => {
      const browser = openFormBrowser();
      const page = await browser.get(`${service.url}/settings/sign-in`);
      const fields = { name: person.name, password: 'wrong' };
      return (await send(browser, service, page, fields)).status;
    };
    const statuses: number[] = [];
    for (let count = 1; count <= 6; count += 1) statuses.push(await tried());
    expect(statuses).toEqual([400, 400, 400, 400, 400, 429]);
  });

  test('a change of the password at one ends the sign-ins at the other', async () => {
    const service = await openTwo();
    const { post } = service.applications;
    const browser = openFormBrowser();
    const tokens = await signIn(service, post, {}, browser);
    await administer(service, ({ accounts }) =>
      accounts.changePassword(service.accountId, new Secret('another password'), {
        programs: true,
      }),
    );
    expect((await validate(service, tokens.accessToken)).body).toMatchObject({ active: false });
    for (let turn = 0; turn < 2; turn += 1) {
      const page = await walk(browser, authorizationUrl(service, post).url);
      expect(wordsOf(page)).toContain('Password');
    }
  });

  test('an application that is disconnected at one has no access at the other', async () => {
    const service = await openTwo();
    const { post, basic } = service.applications;
    const ended = await signIn(service, post);
    const many = [await signIn(service, basic), await signIn(service, basic)];
    const list = () => openConnections(service);
    const first = await list();
    expect(wordsOf(first.page).match(/Who it is/g)).toHaveLength(3);
    await first.press('Disconnect Post');
    for (let turn = 0; turn < 2; turn += 1) {
      expect((await validate(service, ended.accessToken)).body).toMatchObject({ active: false });
    }
    expect((await refresh(service, post, ended.refreshToken)).body.error).toBe('invalid_grant');
    const second = await list();
    const [, behind = ''] =
      /value="disconnect"><input type="hidden" name="id" value="([^"]+)"/.exec(second.page.text) ??
      [];
    const older = await second.browser.get(
      `${service.url}/settings/connections?behind=1-${behind}`,
    );
    expect(wordsOf(older)).toContain('There are no older ones.');
    await second.press('Disconnect all of Basic');
    for (const { accessToken } of many) {
      expect((await validate(service, accessToken)).body).toMatchObject({ active: false });
    }
    expect(wordsOf((await list()).page)).toContain('There is none.');
  });

  test('processes and commands in folders of their own share accounts and tokens', async () => {
    const { commands, one, two, application, signInAt } = await startProcesses();
    expect((await commands.run(['account', 'list'])).stdout).toContain('ada@example.com');
    const tokens = await signInAt(one, two);
    for (const { url } of [one, two]) {
      expect((await validate({ url }, tokens.accessToken)).body).toMatchObject({ active: true });
    }
    const next = signedIn(await refresh(one, application, tokens.refreshToken));
    await commands.run(['account', 'remove', 'ada']);
    for (const { url } of [one, two]) {
      expect((await validate({ url }, next.accessToken)).body).toMatchObject({ active: false });
    }
    expect(commands.output()).not.toContain(databasePassword);
  });

  test('fovea migrate takes accounts and sign-ins along, there and back', async () => {
    const [folder, back] = [await newFolder(), await newFolder()];
    const databaseUrl = (await newDatabase()).reveal();
    const port = String(await freePort());
    const environment = { HOME: folder, FOVEA_WORKSPACE: 'acme' };
    const start = (data: string, more = {}) =>
      startFovea(['platform', '--port', port, '--data', data], { ...environment, ...more });
    const run = (words: readonly string[], input = '') => runFovea(words, environment, input);
    const people = await addPeople((words, input) => run([...words, '--data', folder], input));
    const first = await start(folder);
    const tokens = await people.signInAt(first, first);
    expect((await run(['migrate', '--from', folder, '--to', databaseUrl])).stderr).toContain(
      'uses',
    );
    await first.stop();
    const there = await run(['migrate', '--from', folder, '--to', databaseUrl, '--objects', back]);
    expect(there).toMatchObject({ code: 0, stderr: expect.any(String) });
    expect(there.stdout).toContain('Accounts: 1, applications: 1, with all sign-ins (');
    expect(there.stdout + there.stderr).not.toContain(databasePassword);
    const second = await start(back, { FOVEA_DATABASE_URL: databaseUrl });
    expect((await validate(second, tokens.accessToken)).body).toMatchObject({ active: true });
    const next = signedIn(await refresh(second, people.application, tokens.refreshToken));
    await second.stop();
    const home = join(await newFolder(), 'home');
    const others = ['account', 'add', 'eve', '--email', 'eve@example.com', '--data', home];
    await run(others, `${person.password}\n`);
    const move = ['migrate', '--from', databaseUrl, '--objects', back, '--to', home];
    const refused = await run(move);
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining('has accounts or applications that the source does not have'),
    ]);
    await run(['account', 'remove', 'eve', '--data', home]);
    expect(await run(move)).toMatchObject({ code: 0 });
    const third = await start(home);
    onTestFinished(() => third.stop());
    signedIn(await refresh(third, people.application, next.refreshToken));
    await people.signInAt(third, third);
    const { page } = await openConnections(third, 'ada');
    expect(wordsOf(page)).toMatch(
      / Goes back to .* Workspace acme Allowed [-\d]{10} [:\d]{5} UTC Last used/,
    );
  });

  test('a server that is killed is 503 of all, never 500, and is used again when it is back', async () => {
    const { commands, one, two, application, signInAt } = await startProcesses();
    const tokens = await signInAt(one, two);
    const ask = async () =>
      (await Promise.all([one, two].map(({ url }) => askAll(url, application, tokens)))).flat();
    const before = await ask();
    expect(before.filter(({ status }) => status >= 400)).toEqual([]);
    await server.kill();
    const doctor = await commands.run(['doctor']);
    expect(doctor.stdout).toMatch(/BAD {2}database +The database cannot be reached/);
    for (const { path, status, retryAfter } of await ask()) {
      expect({ path, status, retryAfter }).toEqual({ path, status: 503, retryAfter: '1' });
    }
    const failed = await refresh(one, application, tokens.refreshToken);
    expect(failed).toMatchObject({ status: 503, body: { error: 'temporarily_unavailable' } });
    await server.start();
    expect(await ask()).toEqual(before);
    signedIn(await refresh(two, application, tokens.refreshToken));
    expect((await commands.run(['doctor'])).stdout).toMatch(
      /ok {3}database +PostgreSQL \d+\.\d+ answers/,
    );
    expect(commands.output()).not.toContain(databasePassword);
    expect(commands.output()).not.toContain('postgres://');
  });
});

/** Two of `fovea platform`, and commands with folders of their own, on one database. */
async function startProcesses() {
  const databaseUrl = await newDatabase();
  const environment = (folder: string) => {
    const of = { FOVEA_HOME: folder, HOME: folder, FOVEA_WORKSPACE: 'acme' };
    return { ...of, FOVEA_DATABASE_URL: databaseUrl.reveal() };
  };
  let ran = '';
  const run = async (words: readonly string[], input = '') => {
    const ended = await runFovea(words, environment(await newFolder()), input);
    ran += ended.stdout + ended.stderr;
    return ended;
  };
  const people = await addPeople(run);
  // The files of datasets are in one folder.
  const shared = await newFolder();
  const start = () => startFovea(['platform', '--port', '0'], environment(shared));
  const [one, two] = await Promise.all([start(), start()]);
  for (const service of [one, two]) onTestFinished(() => service.stop());
  const output = () => [ran, one.output(), two.output()].join('\n');
  return { commands: { run, output }, one, two, ...people };
}

type Run = (words: readonly string[], input?: string) => Promise<{ readonly stdout: string }>;

/** An account and an application, and how that person signs in with it. */
async function addPeople(run: Run) {
  await run(['account', 'add', 'ada', '--email', 'ada@example.com'], `${person.password}\n`);
  const app = ['application', 'add', '--name', 'App', '--auth', 'none', '--desktop'];
  const redirectUri = 'http://127.0.0.1:8976/callback';
  const { stdout } = await run([...app, '--redirect-uri', redirectUri]);
  const id = /client_id: (\S+)/.exec(stdout)?.[1] ?? '';
  const application: TestApplication = { id, secret: undefined, auth: 'none', redirectUri };
  const signInAt = async (first: Addressed, second: Addressed) => {
    const proof = authorizationUrl(first, application, { scope: 'openid workspace:read' });
    const who = { name: 'ada', password: person.password };
    const final = await agree(openFormBrowser(), proof.url, who);
    const answer = await postForm(`${second.url}/oauth/token`, application, {
      grant_type: 'authorization_code',
      code: final.searchParams.get('code') ?? '',
      redirect_uri: redirectUri,
      code_verifier: proof.verifier,
    });
    return signedIn(answer);
  };
  return { application, signInAt };
}

type Addressed = Pick<TestAuthorizationServer, 'url'>;

/** Endpoints, pages and the API of a service, each asked what takes its database. */
async function askAll(url: string, application: TestApplication, { accessToken }: SignedIn) {
  const headers = { authorization: `Bearer ${accessToken}` };
  const page = { headers: { accept: 'text/html' }, redirect: 'manual' } as const;
  const answers = await Promise.all([
    fetch(`${url}/oauth/validate`, { headers }),
    fetch(`${url}/oauth/userinfo`, { headers }),
    fetch(`${url}/acme`, { headers }),
    fetch(authorizationUrl({ url }, application).url, page),
    fetch(`${url}/settings/sign-in`, page),
  ]);
  return answers.map((answer) => ({
    path: new URL(answer.url).pathname,
    status: answer.status,
    retryAfter: answer.headers.get('retry-after'),
  }));
}

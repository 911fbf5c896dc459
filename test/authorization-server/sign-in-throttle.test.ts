// Wrong passwords in a row: when the pause comes, for whom, and when it ends.

import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  createSignInThrottle,
  type SignInThrottle,
} from '../../src/authorization-server/sign-in-throttle.ts';
import { signInMigrations } from '../../src/authorization-server/store/schema.ts';
import { limits } from '../../src/limits.ts';
import { createLog } from '../../src/log.ts';
import { openAsyncDatabase } from '../../src/storage/async-database.ts';
import {
  person,
  startTestAuthorizationServer,
  type TestAuthorizationServer,
} from '../fixtures/authorization-server.ts';
import { formOf, openFormBrowser } from '../fixtures/form-browser.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { addPerson, atSignIn, send, wordsOf } from './page-visits.ts';
import { shareService } from './shared-service.ts';

/** Every test makes mistakes for a name of its own; all together fewer than pause an address. */
const start = shareService();

/** Tries a password at the settings; 303 is a success. */
async function attempt({ url }: TestAuthorizationServer, name: string, password: string) {
  const browser = openFormBrowser();
  const page = await browser.get(`${url}/settings/sign-in`);
  return send(browser, { url }, page, { name, password });
}

test('five wrong passwords pause the account, on every page, for the right one too', async () => {
  const service = await start();
  const ida = await addPerson(service, { name: 'Ida Rhodes', email: 'ida@example.com' });
  for (let count = 1; count <= 5; count += 1) {
    const wrong = await attempt(service, ida.email, `a wrong password ${count}`);
    expect([wrong.status, wordsOf(wrong)]).toEqual([
      400,
      expect.stringContaining('Name or password is wrong.'),
    ]);
  }
  const paused = await attempt(service, ida.email, ida.password);
  expect(paused.status).toBe(429);
  const seconds = Number(paused.headers.get('retry-after'));
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual(60);
  expect(wordsOf(paused)).toContain(
    `There were too many wrong passwords. Try again in ${seconds} seconds.`,
  );
  const { browser, page } = await atSignIn(service, service.applications.post);
  const fields = { name: ' IDA@example.com', password: ida.password };
  expect((await send(browser, service, page, fields)).status).toBe(429);
});

test('name and email of an account are counted together', async () => {
  const service = await start();
  const joan = await addPerson(service, { name: 'Joan Clarke', email: 'joan@example.com' });
  for (const name of [joan.name, joan.email, 'JOAN clarke', joan.email, joan.name]) {
    expect((await attempt(service, name, 'wrong')).status).toBe(400);
  }
  expect((await attempt(service, joan.email, joan.password)).status).toBe(429);
  expect((await attempt(service, joan.name, joan.password)).status).toBe(429);
});

test('others sign in meanwhile, and an unknown name pauses like a known one', async () => {
  const service = await start();
  for (let count = 1; count <= 5; count += 1) {
    expect((await attempt(service, 'nobody@example.com', 'wrong')).status).toBe(400);
  }
  const paused = await attempt(service, 'nobody@example.com', 'wrong');
  expect([paused.status, wordsOf(paused)]).toEqual([
    429,
    expect.stringContaining('There were too many wrong passwords. Try again in '),
  ]);
  expect((await attempt(service, person.email, person.password)).status).toBe(303);
});

test('a right password begins the count anew', async () => {
  const service = await start();
  for (let round = 1; round <= 3; round += 1) {
    for (let count = 1; count <= 4; count += 1) {
      expect((await attempt(service, person.name, 'wrong')).status).toBe(400);
    }
    expect((await attempt(service, person.name, person.password)).status).toBe(303);
  }
});

test('of many at the same time no more than five are looked at', async () => {
  const service = await start();
  const mary = await addPerson(service, { name: 'Mary Kenneth', email: 'mary@example.com' });
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, index) => attempt(service, mary.name, `wrong ${index}`)),
  );
  const statuses = answers.map(({ status }) => status).sort();
  expect(statuses).toEqual([400, 400, 400, 400, 400, 429, 429, 429, 429, 429, 429, 429]);
});

const startMs = Date.UTC(2026, 10, 20, 12);

/** Attempts whose time is set by the test, in seconds. */
async function timed() {
  let ms = 0;
  const lines: string[] = [];
  const log = createLog('warn', (line) => lines.push(line));
  const database = openAsyncDatabase(join(await temporaryFolder(), 'sign-in.db'), signInMigrations);
  const clock = { now: () => startMs + ms };
  const attempts = createSignInThrottle(database, { clock, log });
  return {
    database,
    attempts,
    lines,
    at: (seconds: number) => {
      ms = seconds * 1_000;
    },
  };
}

async function fail(attempts: SignInThrottle, name: string, address: string): Promise<number> {
  return (await attempts.begin(name, address)).waitSeconds;
}

test('the pause lasts a minute from the last wrong password, and is not made longer by trying', async () => {
  const { attempts, at } = await timed();
  for (const second of [0, 10, 20, 30, 40]) {
    at(second);
    expect(await fail(attempts, 'ada', 'home')).toBe(0);
  }
  at(41);
  expect(await fail(attempts, 'ada', 'home')).toBe(59);
  at(99.5);
  expect(await fail(attempts, 'ada', 'home')).toBe(1);
  at(100);
  expect(await fail(attempts, 'ada', 'home')).toBe(0);
});

test('somebody elsewhere keeps nobody out, unless the whole world tries', async () => {
  const { attempts } = await timed();
  for (let count = 1; count <= 5; count += 1) expect(await fail(attempts, 'ada', 'evil')).toBe(0);
  expect(await fail(attempts, 'ada', 'evil')).toBe(60);
  expect(await fail(attempts, 'ada', 'home')).toBe(0);
  // 5 from the first address and one from home; 44 more make 50.
  for (let count = 1; count <= 44; count += 1) {
    expect(await fail(attempts, 'ada', `address ${count}`)).toBe(0);
  }
  expect(await fail(attempts, 'ada', 'one more')).toBe(60);
  expect(await fail(attempts, 'grace', 'one more')).toBe(0);
});

test('one address that tries many accounts is paused for all of them', async () => {
  const { attempts } = await timed();
  for (let count = 1; count <= 50; count += 1) {
    expect(await fail(attempts, `account ${count}`, 'evil')).toBe(0);
  }
  expect(await fail(attempts, 'account 51', 'evil')).toBe(60);
  expect(await fail(attempts, 'account 51', 'home')).toBe(0);
});

test('an office of many people, who sign in well, is not paused', async () => {
  const { attempts } = await timed();
  for (let count = 1; count <= 500; count += 1) {
    expect(await fail(attempts, `person ${count}`, 'office')).toBe(0);
    await attempts.succeeded(`person ${count}`, 'office');
  }
});

test('the addresses of one IPv6 network are one, those of others are not', async () => {
  const { attempts } = await timed();
  const network = ['2001:db8:1:2::1', '2001:db8:1:2:ffff::2', '2001:DB8:1:2:3:4:5:6'];
  for (const address of [...network, '2001:db8:1:2::', '2001:db8:1:2::1%eth0']) {
    expect(await fail(attempts, 'ada', address)).toBe(0);
  }
  expect(await fail(attempts, 'ada', '2001:db8:1:2::99')).toBe(60);
  for (const other of ['2001:db8:1:3::1', '2001:db8:1::', '::1', '::ffff:127.0.0.1', '', 'x:y']) {
    expect(await fail(attempts, 'ada', other)).toBe(0);
  }
});

test('the addresses of IPv4 are counted one by one', async () => {
  const { attempts } = await timed();
  for (let count = 1; count <= 5; count += 1) {
    expect(await fail(attempts, 'ada', '::ffff:192.0.2.1')).toBe(0);
  }
  expect(await fail(attempts, 'ada', '::ffff:192.0.2.1')).toBe(60);
  expect(await fail(attempts, 'ada', '::ffff:192.0.2.2')).toBe(0);
});

test('the log has one line for each pause, with the address and no name', async () => {
  const { attempts, lines, at } = await timed();
  for (let count = 1; count <= 5; count += 1) await fail(attempts, 'a secret name', '192.0.2.1');
  expect(lines).toEqual([]);
  for (let count = 1; count <= 3; count += 1) await fail(attempts, 'a secret name', '192.0.2.1');
  at(61);
  for (let count = 1; count <= 7; count += 1) await fail(attempts, 'a secret name', '192.0.2.1');
  const line = 'There were too many wrong passwords: a pause began. address="192.0.2.1"\n';
  expect(lines.map((each) => each.replace(/^\S+ warn fovea: /, ''))).toEqual([line, line]);
});

test('a clock that was set back makes no pause longer', async () => {
  const { attempts, at } = await timed();
  at(7_200);
  for (let count = 1; count <= 5; count += 1) await fail(attempts, 'ada', 'home');
  at(0);
  expect(await fail(attempts, 'ada', 'home')).toBe(0);
});

test('no more are remembered than fit, the oldest least', async () => {
  const { attempts, database, at } = await timed();
  const max = limits.passwordFailuresRememberedMax;
  await database.run(
    `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
     INSERT INTO password_failures (key, failures, is_logged, ends)
     SELECT n, 1, 0, ? + n FROM numbers`,
    [max, startMs],
  );
  at(0.001);
  expect(await fail(attempts, 'ada', 'home')).toBe(0);
  const kept = 'SELECT count(*) AS n FROM password_failures';
  expect(await database.get(kept, [], (row) => row.integer('n'))).toBeLessThanOrEqual(max);
  for (let count = 1; count <= 4; count += 1) await fail(attempts, 'ada', 'home');
  expect(await fail(attempts, 'ada', 'home')).toBe(60);
});

test('behind a proxy for https, the pause is for the address that the proxy names', async () => {
  const service = await startTestAuthorizationServer({ publicUrl: 'https://fovea.example.org' });
  onTestFinished(() => service.close());
  const attempt = async (from: string) => {
    const page = await fetch(`${service.url}/settings/sign-in`);
    const cookies = page.headers.getSetCookie().map((cookie) => cookie.split(';')[0]);
    const { status, headers: given } = page;
    const { fields } = formOf({ status, headers: given, text: await page.text(), next: undefined });
    const body = new URLSearchParams({ ...fields, name: person.email, password: 'wrong' });
    const headers = {
      cookie: cookies.join('; '),
      origin: service.url,
      'x-forwarded-for': from,
    };
    const init = { method: 'POST', body, headers };
    return (await fetch(`${service.url}/settings/sign-in`, init)).status;
  };
  for (let count = 1; count <= 5; count += 1) {
    expect(await attempt(`203.0.113.${count}, 198.51.100.7`)).toBe(400);
  }
  expect(await attempt('198.51.100.7')).toBe(429);
  expect(await attempt('198.51.100.8')).toBe(400);
});

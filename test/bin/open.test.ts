// `fovea open`: a link of one use into the page of the embedded platform, and what it withstands.

import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createOneUseSignIn } from '../../src/platform/one-use-sign-in.ts';
import { Secret } from '../../src/secret.ts';
import { type RunningService, runFovea, startFovea } from '../fixtures/fovea-services.ts';
import { startTestPlatform } from '../fixtures/platform.ts';
import { settableClock } from '../fixtures/settable-clock.ts';

let home: string;
let environment: Readonly<Record<string, string>>;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'fovea-open-'));
  environment = { HOME: home, FOVEA_HOME: home, FOVEA_NO_BROWSER: '1' };
  const project = { name: 'Cells', type: 'object-detection', annotation: 'cells' };
  await runFovea(['call', 'projects_create', JSON.stringify(project)], environment);
}, 60_000);

afterAll(() => rm(home, { recursive: true, force: true }));

async function open(words: readonly string[] = []): Promise<RunningService> {
  const service = await startFovea(['open', ...words], environment);
  onTestFinished(() => service.stop());
  return service;
}

interface Link {
  readonly origin: string;
  readonly code: string;
  readonly view: string;
}

function linkOf({ url }: RunningService): Link {
  const { origin, hash } = new URL(url);
  const given = new URLSearchParams(hash.slice(1));
  return { origin, code: given.get('sign-in') ?? '', view: given.get('view') ?? '' };
}

function exchange({ origin, code }: Pick<Link, 'origin' | 'code'>, headers = {}) {
  return fetch(`${origin}/page/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ code }),
  });
}

test('the link signs in once, and shows what was made last', async () => {
  const service = await open();
  const link = linkOf(service);
  expect(link.view).toBe('project/cells');
  expect(new URL(link.origin).hostname).toBe('127.0.0.1');
  expect(Buffer.from(link.code, 'base64url')).toHaveLength(32);
  const answer = await exchange(link);
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
  const { key } = Object(await answer.json());
  const headers = { authorization: `Bearer ${key}`, accept: 'application/json' };
  const whoami = await fetch(`${link.origin}/`, { headers });
  expect(await whoami.json()).toMatchObject({ workspace: 'local' });
  const again = await exchange(link);
  expect(again.status).toBe(403);
  expect(await again.text()).not.toContain(key);
  // The link is printed where there is no browser; neither log nor answers repeat code or key.
  expect(service.output().split(link.code)).toHaveLength(2);
  expect(service.output()).not.toContain(key);
});

test('of two who use it at once, one gets in', async () => {
  const link = linkOf(await open(['tasks']));
  expect(link.view).toBe('tasks');
  const answers = await Promise.all([1, 2, 3, 4].map(() => exchange(link)));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 403, 403, 403]);
});

test('guesses and other sites get nothing, and use nothing up', async () => {
  const link = linkOf(await open(['cells']));
  const { origin } = link;
  for (const code of ['', 'x', `${link.code}A`, link.code.slice(1), link.code.toLowerCase()]) {
    expect((await exchange({ origin, code })).status).toBe(403);
  }
  const hostile = [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'content-type': 'text/plain' },
  ];
  for (const headers of hostile) {
    const answer = await exchange(link, headers);
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([403, null]);
  }
  expect((await fetch(`${origin}/page/sign-in?code=${link.code}`)).status).not.toBe(200);
  const long = await exchange({ origin, code: 'x'.repeat(5_000) });
  expect(long.status).toBe(413);
  expect((await exchange(link)).status).toBe(200);
});

test('it is good for a minute', async () => {
  const clock = settableClock();
  const signIn = createOneUseSignIn(clock, new Secret('key-of-the-page'));
  const platform = await startTestPlatform({ inSources: true, routes: [signIn.route] });
  onTestFinished(() => platform.close());
  const [early, late] = [signIn.makeCode().reveal(), signIn.makeCode().reveal()];
  const { origin } = new URL(platform.url);
  clock.advance(59_000);
  expect(await (await exchange({ origin, code: early })).json()).toEqual({
    key: 'key-of-the-page',
  });
  clock.advance(1_000);
  expect((await exchange({ origin, code: late })).status).toBe(403);
});

test('the browser is given a private file, which goes with the process', async () => {
  const opener = join(home, 'bin');
  const seen = join(home, 'arguments');
  await mkdir(opener);
  const script = `#!/bin/sh\nprintf '%s\\n' "$@" > '${seen}'\n`;
  await writeFile(join(opener, 'xdg-open'), script, { mode: 0o755 });
  const { FOVEA_NO_BROWSER: _, ...others } = environment;
  const path = `${opener}:${process.env.PATH}`;
  const service = await startFovea(['open'], { ...others, PATH: path, DISPLAY: ':0' });
  await expect.poll(() => readFile(seen, 'utf8').catch(() => ''), { timeout: 10_000 }).not.toBe('');
  const [name = ''] = await readdir(join(home, 'open'));
  const file = join(home, 'open', name);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const [, code = ''] = /#sign-in=([\w-]{43})&amp;view=/.exec(await readFile(file, 'utf8')) ?? [];
  expect(code).toHaveLength(43);
  expect(await readFile(seen, 'utf8')).toBe(`file://${file}\n`);
  expect(service.output()).not.toContain(code);
  await service.stop();
  expect(await readdir(join(home, 'open'))).toEqual([]);
});

test.each([
  [['cell'], 'there is no project "cell"; did you mean "cells"?'],
  [['cells/7'], 'there is no version "7" of "cells"; it has none'],
  [['a', 'b'], '"b" is one too many'],
])('fovea open %j is refused', async (words, said) => {
  const { code, stderr } = await runFovea(['open', ...words], environment);
  expect(code).toBe(2);
  expect(stderr).toContain(said);
});

test('of a service that is not there nothing is opened', async () => {
  const settings = { ...environment, FOVEA_BASE_URL: 'http://127.0.0.1:9' };
  const { code, stderr } = await runFovea(['open'], settings);
  expect([code, stderr]).toEqual([2, expect.stringContaining('No fovea platform answers')]);
});

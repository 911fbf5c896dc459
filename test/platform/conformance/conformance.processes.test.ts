// Runs the conformance kit against real platforms, one for each profile, and judges the kit itself.

import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mountAuthorizationServer } from '../../../src/authorization-server/authorization-server.ts';
import { systemClock } from '../../../src/clock.ts';
import { createLog } from '../../../src/log.ts';
import type { PlatformOptions } from '../../../src/platform/platform.ts';
import { readStatements } from '../../conformance/statements.ts';
import {
  person,
  signIn,
  startTestAuthorizationServer,
  type TestAuthorizationServer,
} from '../../fixtures/authorization-server.ts';
import { hasFfmpeg } from '../../fixtures/has-ffmpeg.ts';
import { colourFinder } from '../../fixtures/onnx-models.ts';
import {
  startPlatformProcess,
  startTestPlatform,
  type TestPlatform,
} from '../../fixtures/platform.ts';
import { isRelease } from '../../fixtures/under-test.ts';
import { createTestTokens } from '../tokens.ts';
import { checks, profileNames } from './checks/index.ts';
import type { ProfileName } from './profiles.ts';
import { type Outcome, runProfile, type Target } from './run.ts';

const statements = readStatements('API');
const everyCheck = profileNames.flatMap((name) => checks[name]);
const filled = profileNames.filter(
  (name) => checks[name].length > 0 && (name !== 'video' || hasFfmpeg),
);
if (!hasFfmpeg) process.stderr.write('DID NOT RUN: profile video; no ffmpeg.\n');

// A busy machine takes its time with all of them.
describe.each(filled)('profile %s', { timeout: 120_000 }, (name) => {
  test.each(checks[name].map((check) => [check.name, check] as const))('%s', async (_, check) => {
    const outcome = await outcomes.get(check)?.promise;
    expect(outcome?.check).toBe(check);
    expect(outcome?.failure).toBeUndefined();
  });
});

describe('the kit', { timeout: 120_000 }, () => {
  test('has a check for every statement', () => {
    const proven = new Set<string>(everyCheck.flatMap(({ proves }) => proves));
    const open = statements.filter(({ number }) => !proven.has(number));
    expect(open.map(({ number, words }) => `${number} ${words}`)).toEqual([]);
  });

  test('has one name for one check', () => {
    const names = everyCheck.map(({ name }) => name);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  test.each([500, 200])('fails a service that answers %i to all', async (status) => {
    expect(await passedBy(status)).toEqual([]);
  });
});

const started: { readonly close: () => Promise<void> }[] = [];
const outcomes = new Map(
  everyCheck.map((check) => [check, Promise.withResolvers<Outcome>()] as const),
);
let runs: readonly Promise<void>[] = [];

// All at once: most of the time of a profile is waiting.
beforeAll(() => {
  runs = filled.map((name) => startProfile(name).catch((thrown) => failAll(name, thrown)));
});

afterAll(async () => {
  await Promise.all(runs);
  // A platform before its sign-in service.
  for (const service of started) await service.close();
}, 120_000);

async function startProfile(name: ProfileName): Promise<void> {
  if (['sign-in', 'expired', 'applications'].includes(name)) return startWithSignIn(name);
  const tokens = createTestTokens();
  const platform = await startTestPlatform({
    ...(name === 'tokens' && { verifyAccessToken: tokens.verify }),
    ...(await optionsOf(name)),
  });
  started.push(platform);
  const scopes = new Set(['workspace:read', 'project:read']);
  const target: Target = {
    url: platform.url,
    key: platform.key,
    ...(name === 'other' && { otherKey: (await platform.otherWorkspace('initech')).key }),
    ...(name === 'tokens' && { token: tokens.issue({ scopes }) }),
  };
  await run(name, target);
}

async function run(name: ProfileName, target: Target): Promise<void> {
  await runProfile(name, target, (outcome) => outcomes.get(outcome.check)?.resolve(outcome));
}

/** A platform with its sign-in service at the same address; one for each of these profiles. */
async function startWithSignIn(name: ProfileName): Promise<void> {
  const service = await startTestAuthorizationServer({ isUnopened: name !== 'expired' });
  let expiredToken: string | undefined;
  if (name === 'expired') {
    const scope = 'openid workspace:read';
    const tokens = await signIn(service, service.applications.post, { scope });
    expiredToken = tokens.accessToken;
  }
  const { data } = service;
  const hourMs = 3_600_000;
  const clock = { ...systemClock, now: () => systemClock.now() + hourMs };
  const parts = { data, workspace: 'acme', log: createLog('error') };
  const server =
    name === 'expired' ? mountAuthorizationServer({ ...parts, clock }) : service.server;
  // The release serves its own sign-in service from the folder; an expired token needs a clock.
  const platform =
    isRelease && name !== 'expired' ? await startRelease(data) : await startWith(server);
  started.push(platform, service);
  if (name === 'expired') started.push(server);
  const { post, basic } = service.applications;
  const { email, password } = person;
  await run(name, {
    url: platform.url,
    key: platform.key,
    data,
    expiredToken,
    signIn: {
      clientId: post.id,
      clientSecret: post.secret ?? '',
      redirectUri: post.redirectUri,
      email,
      password,
      basic: { clientId: basic.id, clientSecret: basic.secret ?? '' },
    },
  });
}

async function startRelease(data: string) {
  const { url, stop } = await startPlatformProcess(data);
  return { url, key: 'a-key-for-tests', close: stop };
}

async function startWith(
  server: TestAuthorizationServer['server'],
): Promise<Pick<TestPlatform, 'url' | 'key' | 'close'>> {
  let issuer = '';
  return startTestPlatform({
    routes: server.routes,
    verifyAccessToken: server.verify,
    issuer: () => issuer,
    onListening: async (url) => {
      issuer = url;
      await server.open(url);
    },
  });
}

async function optionsOf(name: ProfileName): Promise<Partial<PlatformOptions>> {
  if (name === 'limited') return { rateLimit: 10 };
  if (name === 'model' || name === 'video') {
    const model = join(await mkdtemp(join(tmpdir(), 'fovea-conformance-')), 'squares.onnx');
    started.push({ close: () => rm(dirname(model), { recursive: true }) });
    await writeFile(model, colourFinder());
    const environment = { PATH: process.env.PATH ?? '' };
    return { model, environment, ...(name === 'video' && { videoStatusIntervalMs: 500 }) };
  }
  if (name === 'trainer') {
    const args = [resolve('src/bin/example-trainer.ts')];
    return { trainer: { path: process.execPath, args, name: 'example' } };
  }
  return {};
}

/** A platform that does not start fails the tests of its profile. */
function failAll(name: ProfileName, thrown: unknown): void {
  for (const check of checks[name])
    outcomes.get(check)?.resolve({ check, failure: String(thrown) });
}

const nobody = {
  clientId: 'a',
  clientSecret: 'b',
  redirectUri: 'http://127.0.0.1:1/',
  email: 'ada@example.com',
  password: 'c',
  basic: { clientId: 'd', clientSecret: 'e' },
};

/** Names of the checks that a service passes which gives this answer to everything. */
async function passedBy(status: number): Promise<readonly string[]> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const target = {
    url: `http://127.0.0.1:${port}`,
    key: 'a-key',
    otherKey: 'b',
    token: 'c',
    signIn: nobody,
    expiredToken: 'd',
  };
  const passed: string[] = [];
  const note = ({ check, failure }: Outcome) => {
    if (failure === undefined) passed.push(check.name);
  };
  for (const name of profileNames) await runProfile(name, target, note);
  server.closeAllConnections();
  server.close();
  return passed;
}

// Runs the conformance suite against real platforms, one for each profile, and judges the suite
// itself.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { mountAuthorizationServer } from '../../../src/authorization-server/authorization-server.ts';
import { systemClock } from '../../../src/clock.ts';
import { createLog } from '../../../src/log.ts';
import type { PlatformOptions } from '../../../src/platform/platform.ts';
import { testSuite } from '../../conformance/suite-tests.ts';
import {
  person,
  signIn,
  startTestAuthorizationServer,
  type TestAuthorizationServer,
} from '../../fixtures/authorization-server.ts';
import {
  exampleTrainer,
  hasExampleTrainer,
  needsExampleTrainer,
} from '../../fixtures/example-trainer.ts';
import { hasFfmpeg } from '../../fixtures/has-ffmpeg.ts';
import { colourFinder } from '../../fixtures/onnx-models.ts';
import {
  startPlatformProcess,
  startTestPlatform,
  type TestPlatform,
} from '../../fixtures/platform.ts';
import { isRelease } from '../../fixtures/under-test.ts';
import { createTestTokens } from '../test-tokens.ts';
import { checks } from './checks/index.ts';
import { type ProfileName, profileNames } from './profiles.ts';
import { platformSuite, type Target } from './suite.ts';

const started: { readonly close: () => Promise<void> }[] = [];
const absent = new Set<ProfileName>();
if (!hasFfmpeg) {
  absent.add('video');
  process.stderr.write('DID NOT RUN: profile video; no ffmpeg.\n');
}
if (!hasExampleTrainer) {
  absent.add('trainer');
  process.stderr.write(`DID NOT RUN: profile trainer${needsExampleTrainer}.\n`);
}

testSuite({
  suite: platformSuite,
  profileNames: profileNames.filter((name) => checks[name].length > 0 && !absent.has(name)),
  startProfile,
  close: async () => {
    // A platform before its sign-in service.
    for (const service of started) await service.close();
  },
  targetAt: async (url) => ({
    url,
    key: 'a-key',
    otherKey: 'b',
    token: 'c',
    signIn: unknownSignIn,
    expiredToken: 'd',
  }),
  passedByAll200: [],
});

async function startProfile(name: ProfileName): Promise<Target> {
  if (['sign-in', 'expired', 'applications'].includes(name)) return startWithSignIn(name);
  const tokens = createTestTokens();
  const platform = await startTestPlatform({
    ...(name === 'tokens' && { verifyAccessToken: tokens.verify }),
    ...(await optionsOf(name)),
  });
  started.push(platform);
  const scopes = new Set(['workspace:read', 'project:read']);
  return {
    url: platform.url,
    key: platform.key,
    ...(name === 'other' && { otherKey: (await platform.otherWorkspace('initech')).key }),
    ...(name === 'tokens' && { token: tokens.issue({ scopes }) }),
  };
}

/** A platform with its sign-in service at the same address; one for each of these profiles. */
async function startWithSignIn(name: ProfileName): Promise<Target> {
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
    name === 'expired' ? await mountAuthorizationServer({ ...parts, clock }) : service.server;
  // The release serves its own sign-in service from the folder; an expired token needs a clock.
  const platform =
    isRelease && name !== 'expired' ? await startRelease(data) : await startWith(server);
  started.push(platform, service);
  if (name === 'expired') started.push(server);
  const { post, basic } = service.applications;
  const { email, password } = person;
  return {
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
  };
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
    return { trainer: exampleTrainer };
  }
  return {};
}

const unknownSignIn = {
  clientId: 'a',
  clientSecret: 'b',
  redirectUri: 'http://127.0.0.1:1/',
  email: 'ada@example.com',
  password: 'c',
  basic: { clientId: 'd', clientSecret: 'e' },
};

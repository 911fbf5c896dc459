// Many calls in many processes over one token that has ended: one refresh, and nobody is signed
// out, whoever dies in the middle of it. `npm run races:sign-in` does it longer.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Caller,
  callAll,
  killInRounds,
  type RaceService,
  type SharedSignIn,
  signInOnce,
  startCallers,
  startForeignService,
  startOurService,
} from './concurrent-callers.ts';

const calls = 20;
const all = { ok: calls, kinds: [] };

interface Race {
  readonly service: RaceService;
  readonly signIn: SharedSignIn;
  readonly callers: readonly Caller[];
}

/** A service, a sign-in there and four processes that share it, for the tests of one group. */
function shareRace(startService: () => Promise<RaceService>): () => Race {
  let race: Race | undefined;
  beforeAll(async () => {
    const service = await startService();
    const signIn = await signInOnce(service);
    race = { service, signIn, callers: await startCallers(signIn, 4) };
  });
  afterAll(async () => {
    await Promise.all(race?.callers.map((caller) => caller.close()) ?? []);
    await race?.signIn.close();
    await race?.service.close();
  });
  return () => {
    if (race === undefined) throw new Error('the processes have not started');
    return race;
  };
}

async function expectOneRefresh({ service, signIn, callers }: Race): Promise<void> {
  const expected = { outcomes: [all, all, all, all], refreshes: 1 };
  for (let round = 0; round < 2; round++) {
    await signIn.expire();
    expect(await callAll(service, callers, calls, true)).toEqual(expected);
  }
  // All know the token by now, and all are refused with it at once.
  for (let round = 0; round < 2; round++) {
    const { accessToken } = (await signIn.stored()) ?? {};
    if (accessToken) service.deny(accessToken);
    expect(await callAll(service, callers, calls, round > 0)).toEqual(expected);
  }
}

/** The first process dies after its refresh was answered, before it could keep the answer. */
async function dieBetween({ service, signIn, callers: [victim] }: Race): Promise<void> {
  await signIn.expire();
  const answered = Promise.withResolvers<void>();
  service.watch({ before: () => victim?.freeze(), after: () => answered.resolve() });
  const call = victim?.call(calls, true);
  await answered.promise;
  service.watch(undefined);
  await victim?.kill();
  expect(await call).toBe(undefined);
}

describe('our own service', () => {
  const race = shareRace(startOurService);

  test('20 calls in each of 4 processes: one refresh, all succeed', async () => {
    await expectOneRefresh(race());
  });

  test('a process that dies between the answer and its own write: it is given again', async () => {
    const { service, signIn, callers } = race();
    for (let round = 0; round < 2; round++) {
      const before = await signIn.stored();
      await dieBetween(race());
      expect((await signIn.stored())?.refreshToken).toEqual(before?.refreshToken);
      expect(await callAll(service, callers, calls, true)).toEqual({
        outcomes: [all, all, all, all],
        refreshes: 1,
      });
    }
  });

  test('6 rounds, a process killed in every second one: nobody is signed out', async () => {
    const { service, signIn, callers } = race();
    const report = await killInRounds(service, signIn, callers, { rounds: 6, killEvery: 2 });
    expect(report.failures).toEqual([]);
    expect(report.killed).toBeGreaterThan(1);
    expect((await callAll(service, callers, calls, true)).outcomes).toEqual([all, all, all, all]);
  }, 120_000);
});

describe('an authorization server that nobody here wrote', () => {
  const race = shareRace(startForeignService);

  test('20 calls in each of 4 processes: one refresh, all succeed', async () => {
    await expectOneRefresh(race());
  });

  test('a process that dies there, without any grace: one clear error, and no further request', async () => {
    const { service, callers } = race();
    await dieBetween(race());
    const ended = { ok: 0, kinds: ['unauthenticated: The sign-in has ended.'] };
    expect(await callAll(service, callers, calls, true)).toEqual({
      outcomes: [ended, ended, ended, ended],
      refreshes: 1,
    });
    expect(await callAll(service, callers, calls, true)).toEqual({
      outcomes: [ended, ended, ended, ended],
      refreshes: 0,
    });
  });
});

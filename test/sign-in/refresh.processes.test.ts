// Many calls in many processes over one token that has ended: one refresh, and nobody is signed
// out, whoever dies in the middle of it. `npm run races:sign-in` does it longer.

import { expect, onTestFinished, test } from 'vitest';
import {
  type Caller,
  callAll,
  killInRounds,
  type RaceService,
  type SharedSignIn,
  signInOnce,
  startCaller,
  startForeignService,
  startOurService,
} from './race-kit.ts';

const calls = 50;
const all = { ok: calls, kinds: [] };

async function start(service: RaceService, count: number) {
  onTestFinished(() => service.close());
  const signIn = await signInOnce(service);
  onTestFinished(() => signIn.close());
  const callers = await Promise.all(Array.from({ length: count }, () => startCaller(signIn)));
  onTestFinished(async () => {
    await Promise.all(callers.map((caller) => caller.close()));
  });
  return { signIn, callers };
}

test.each([
  ['our own service', startOurService],
  ['an authorization server that nobody here wrote', startForeignService],
])('50 calls in each of 4 processes: one refresh, all succeed: %s', async (_, startService) => {
  const service = await startService();
  const { signIn, callers } = await start(service, 4);
  const expected = { outcomes: [all, all, all, all], refreshes: 1 };
  for (let round = 0; round < 5; round++) {
    await signIn.expire();
    expect(await callAll(service, callers, calls, true)).toEqual(expected);
  }
  // All know the token by now, and all are refused with it at once.
  for (let round = 0; round < 5; round++) {
    const { accessToken } = (await signIn.stored()) ?? {};
    if (accessToken) service.deny(accessToken);
    expect(await callAll(service, callers, calls, round > 0)).toEqual(expected);
  }
});

test('6 rounds, a process killed in every second one: nobody is signed out', async () => {
  const service = await startOurService();
  const { signIn, callers } = await start(service, 4);
  const report = await killInRounds(service, signIn, callers, { rounds: 6, killEvery: 2 });
  expect(report.failures).toEqual([]);
  expect(report.killed).toBeGreaterThan(1);
  expect((await callAll(service, callers, calls, true)).outcomes).toEqual([all, all, all, all]);
}, 120_000);

/** The first process dies after its refresh was answered, before it could keep the answer. */
async function dieBetween(service: RaceService, signIn: SharedSignIn, [victim]: readonly Caller[]) {
  await signIn.expire();
  const answered = Promise.withResolvers<void>();
  service.watch({ before: () => victim?.freeze(), after: () => answered.resolve() });
  const call = victim?.call(calls, true);
  await answered.promise;
  service.watch(undefined);
  await victim?.kill();
  expect(await call).toBe(undefined);
}

test('a process that dies between the answer and its own write: our service gives it again', async () => {
  const service = await startOurService();
  const { signIn, callers } = await start(service, 3);
  for (let round = 0; round < 5; round++) {
    const before = await signIn.stored();
    await dieBetween(service, signIn, callers);
    expect((await signIn.stored())?.refreshToken).toEqual(before?.refreshToken);
    expect(await callAll(service, callers, calls, true)).toEqual({
      outcomes: [all, all, all],
      refreshes: 1,
    });
  }
});

test('there without any grace: one clear error, and no further request', async () => {
  const service = await startForeignService();
  const { signIn, callers } = await start(service, 3);
  await dieBetween(service, signIn, callers);
  const ended = { ok: 0, kinds: ['unauthenticated: The sign-in has ended.'] };
  expect(await callAll(service, callers, calls, true)).toEqual({
    outcomes: [ended, ended, ended],
    refreshes: 1,
  });
  expect(await callAll(service, callers, calls, true)).toEqual({
    outcomes: [ended, ended, ended],
    refreshes: 0,
  });
});

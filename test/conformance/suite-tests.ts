// Tests of a conformance suite: its checks pass against real services, one for each profile, and
// fail against a service that answers everything alike.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Check, Outcome } from './check.ts';
import type { ConformanceSuite } from './suite.ts';

export interface SuiteUnderTest<ProfileName extends string, Target, CheckInput> {
  readonly suite: ConformanceSuite<ProfileName, Target, CheckInput>;
  /** Those of which this machine can start a service. */
  readonly profileNames: readonly ProfileName[];
  startProfile(name: ProfileName): Promise<Target>;
  /** Ends all services that were started. */
  close(): Promise<void>;
  /** A service at that address, with all that any profile needs. */
  targetAt(url: string): Promise<Target>;
  /** Names of the checks that a service passes which answers 200 to everything. */
  readonly passedByAll200: readonly string[];
}

export function testSuite<ProfileName extends string, Target, CheckInput>({
  suite,
  profileNames,
  startProfile,
  close,
  targetAt,
  passedByAll200,
}: SuiteUnderTest<ProfileName, Target, CheckInput>): void {
  const { checks } = suite;
  const everyCheck = suite.profileNames.flatMap((name) => checks[name]);
  const outcomes = new Map<Check<CheckInput>, PromiseWithResolvers<Outcome<CheckInput>>>(
    everyCheck.map((check) => [check, Promise.withResolvers()] as const),
  );
  const note = (outcome: Outcome<CheckInput>) => outcomes.get(outcome.check)?.resolve(outcome);
  const run = async (name: ProfileName) => {
    try {
      await suite.runProfile(name, await startProfile(name), note);
    } catch (thrown) {
      // A service that does not start fails the tests of its profile.
      for (const check of checks[name]) note({ check, failure: String(thrown) });
    }
  };
  let runs: readonly Promise<void>[] = [];

  // All at once: most of the time of a profile is waiting.
  beforeAll(() => {
    runs = profileNames.map(run);
  });

  afterAll(async () => {
    await Promise.all(runs);
    await close();
  }, 120_000);

  // A busy machine takes its time to start all of them.
  describe.each(profileNames)('profile %s', { timeout: 120_000 }, (name) => {
    test.each(checks[name].map((check) => [check.name, check] as const))('%s', async (_, check) => {
      const outcome = await outcomes.get(check)?.promise;
      expect(outcome?.check).toBe(check);
      expect(outcome?.failure).toBeUndefined();
    });
  });

  describe('the suite', { timeout: 120_000 }, () => {
    test('has a check for every statement', () => {
      const proven = new Set<string>(everyCheck.flatMap(({ proves }) => proves));
      const open = suite.statements.filter(({ number }) => !proven.has(number));
      expect(open.map(({ number, words }) => `${number} ${words}`)).toEqual([]);
    });

    test('has one name for one check', () => {
      const names = everyCheck.map(({ name }) => name);
      expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
    });

    test.each([
      [500, []],
      [200, passedByAll200],
    ])('fails a service that answers %i to all', async (status, expected) => {
      expect(await passedBy(suite, status, targetAt)).toEqual(expected);
    });
  });
}

/** Names of the checks that a service passes which gives this answer to everything. */
async function passedBy<ProfileName extends string, Target, CheckInput>(
  suite: ConformanceSuite<ProfileName, Target, CheckInput>,
  status: number,
  targetAt: (url: string) => Promise<Target>,
): Promise<readonly string[]> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const target = await targetAt(`http://127.0.0.1:${port}`);
  const passed: string[] = [];
  for (const name of suite.profileNames) {
    const outcomes = await suite.runProfile(name, target, () => undefined);
    passed.push(
      ...outcomes.filter(({ failure }) => failure === undefined).map(({ check }) => check.name),
    );
  }
  server.closeAllConnections();
  server.close();
  return passed;
}

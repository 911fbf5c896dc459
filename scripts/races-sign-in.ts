// npm run races:sign-in: processes that share a sign-in are killed, round by round. `--rounds N`.

import { parseArgs } from 'node:util';
import {
  killInRounds,
  signInOnce,
  startCaller,
  startOurService,
} from '../test/sign-in/concurrent-callers.ts';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '200' } } });
const rounds = Number(values.rounds);
if (!Number.isSafeInteger(rounds) || rounds < 1) {
  process.stderr.write('--rounds must be a whole number above 0\n');
  process.exit(2);
}

const service = await startOurService();
const signIn = await signInOnce(service);
const callers = await Promise.all(Array.from({ length: 4 }, () => startCaller(signIn)));
const { killed, repeated, failures } = await killInRounds(service, signIn, callers, {
  rounds,
  killEvery: 1,
});
const tokens = await signIn.stored();
const isSignedIn = tokens?.refreshToken !== undefined && tokens.ended === undefined;
await Promise.all(callers.map((caller) => caller.close()));
await signIn.close();
await service.close();

process.stdout.write(
  [
    `rounds                 ${rounds}, 50 calls in each of 4 processes`,
    `processes killed       ${killed} before their calls had ended`,
    `refreshes              ${rounds + repeated}: one for each round, ${repeated} again after a kill`,
    `rounds that failed     ${failures.length}`,
    `signed in at the end   ${isSignedIn ? 'yes' : 'NO'}`,
    ...failures.slice(0, 10).map((failure) => JSON.stringify(failure)),
    '',
  ].join('\n'),
);
process.exitCode = failures.length > 0 || !isSignedIn ? 1 : 0;

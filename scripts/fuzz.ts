// `npm run fuzz`: random requests from the contract's own schemas, damaged, against the release:
// the platform with its sign-in service, the Event Store, and MCP over HTTP. Ends with 1 for an
// answer above 499 (but the 502 of an image host, and 529), for a wait of another caller above
// 250 ms that comes again, and where memory, files or threads stay.

import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { killServices } from './attacks/service.ts';
import { fuzz } from './fuzz/run.ts';
import type { Fuzzed } from './fuzz/targets.ts';
import { releaseToTest } from './release/install.ts';

const { values } = parseArgs({
  options: {
    /** The Node that runs the release: the one of FOVEA_TEST_ENTRY, else it is installed first. */
    node: { type: 'string', default: process.execPath },
    /** Of all services together. */
    requests: { type: 'string', default: '20000' },
    seed: { type: 'string' },
    /** platform, event-store or http; all of them unless given. */
    target: { type: 'string' },
  },
});

/** Of a hundred requests. */
const shares: Readonly<Record<Fuzzed, number>> = { platform: 65, 'event-store': 25, http: 10 };

const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const requests = Number(values.requests);
if (!(requests >= 1) || !Number.isSafeInteger(seed)) {
  say('--requests and --seed must be whole numbers.');
  process.exit(2);
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    killServices();
    process.exit(1);
  });
}
process.exitCode = await main();
killServices();
setTimeout(() => process.exit(), 1_000).unref();

async function main(): Promise<number> {
  say(`seed ${seed}, ${requests} requests, load of the machine ${loadavg()[0]?.toFixed(1)}`);
  const release = { entry: await releaseToTest(), node: values.node };
  let failures = 0;
  for (const target of ['platform', 'event-store', 'http'] as const) {
    if (values.target !== undefined && values.target !== target) continue;
    const share = values.target === undefined ? shares[target] : 100;
    const count = Math.ceil((requests * share) / 100);
    const outcome = await fuzz(release, { target, requests: count, seed, say });
    const statuses = [...outcome.statuses].toSorted(([a], [b]) => a - b);
    say(`${target}: ${count} requests`);
    say(
      `  answers          ${statuses.map(([status, times]) => `${status} x${times}`).join(', ')}`,
    );
    say(`  longest wait     ${Math.round(outcome.longestMs)} ms, and comes again`);
    say(`  passing pauses   ${outcome.passingPauses} above 250 ms that did not come again`);
    const more = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MB more`;
    const { warmUp, half } = outcome.moreBytes;
    say(`  memory at rest   ${more(warmUp)} than after its warm-up, ${more(half)} than after half`);
    for (const problem of outcome.problems) say(`  FAILS: ${problem}`);
    failures += outcome.problems.length;
  }
  return failures > 0 ? 1 : 0;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

// `npm run faults:cluster`: platforms and workers on PostgreSQL and an object store do a day's work
// of several clients, while processes, the server and the lines between them fail. Ends with 1
// where something is wrong, with 2 where it could not run.
//
// --control: a worker writes for a task that another one has taken over; it must be seen.
// --rounds N, --seed TEXT, --clients N, --seconds N (in which faults begin), --only NAME (faults
// whose names contain this), --report FILE (all that was found, as JSON).

import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { hasPostgres } from '../test/fixtures/postgres-server.ts';
import { hasS3Server } from '../test/fixtures/s3-server.ts';
import { startCluster } from './faults-cluster/cluster.ts';
import { comeBackLateOf } from './faults-cluster/control.ts';
import { faults } from './faults-cluster/faults.ts';
import { formatRound, heading } from './faults-cluster/report.ts';
import { type RoundResult, runRound } from './faults-cluster/rounds.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '20' },
    seed: { type: 'string', default: 'a' },
    clients: { type: 'string', default: '8' },
    seconds: { type: 'string', default: '15' },
    only: { type: 'string', default: '' },
    control: { type: 'boolean', default: false },
    report: { type: 'string' },
  },
});

process.exitCode =
  hasPostgres && hasS3Server ? await (values.control ? control() : main()) : notRun();
setTimeout(() => process.exit(), 1_000).unref();

function notRun(): number {
  const missing = [
    ...(hasPostgres ? [] : ['postgresql']),
    ...(hasS3Server ? [] : ['python3-swift']),
  ];
  process.stderr.write(`NOT RUN: it needs ${missing.join(' and ')} of Debian\n`);
  return 2;
}

async function control(): Promise<number> {
  const fenced = await comeBackLateOf(true);
  say(`with the fence: ${fenced.length === 0 ? 'nothing wrong' : fenced.join(', ')}`);
  const problems = await comeBackLateOf(false);
  const seen = problems.length === 0 ? 'nothing wrong: the rounds are blind' : problems.join(', ');
  say(`without it: ${seen}`);
  return fenced.length === 0 && problems.length > 0 ? 0 : 1;
}

async function main(): Promise<number> {
  const chosen = faults.filter(({ name }) => name.includes(values.only));
  const options = {
    clients: Number(values.clients),
    roundMs: Number(values.seconds) * 1000,
    faults: chosen,
    seed: values.seed,
  };
  const cluster = await startCluster({ platforms: 3, workers: 3 });
  const results: RoundResult[] = [];
  try {
    say(heading);
    for (let round = 1; round <= Number(values.rounds); round += 1) {
      const result = await runRound(cluster, round, options);
      results.push(result);
      say(formatRound(result));
    }
  } finally {
    await cluster.close();
    if (values.report) await writeFile(values.report, JSON.stringify(results, undefined, 2));
  }
  return results.some(({ problems }) => problems.length > 0) ? 1 : 0;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

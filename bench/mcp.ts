// `npm run bench:mcp`: what Fovea costs a host beside five published servers in the same run:
// start, memory, tokens, disk and calls. Ends with 1 where it is third or worse in a column.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { formatMeasured, judge, type Measured } from './mcp/report.ts';
import { type Choice, prepareServers, type Server } from './mcp/servers.ts';
import { endAll, type Run, run, timeCalls } from './mcp/session.ts';
import { Said } from './measure/said.ts';

const usage = `Usage: npm run bench:mcp -- [--repeats N] [--server FILE] [--no-build] [--no-install]
    [--write]
  --repeats N    measured starts of each server, after one warm-up (7)
  --server FILE  measure this server in place of the built Fovea; its install is not measured
  --no-build     measure dist/ as it is
  --no-install   leave out the install sizes
  --write        put what is said into docs/benchmarks.md`;

process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));
try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}

async function main(): Promise<number> {
  const { repeats, write, ...choice } = readArguments();
  if (process.platform !== 'linux') throw new Error('This bench reads /proc: run it on Linux.');
  const home = mkdtempSync(join(tmpdir(), 'fovea-bench-'));
  process.once('exit', () => {
    endAll();
    rmSync(home, { recursive: true, force: true });
  });
  const servers = prepareServers(choice);
  const output = new Said();
  const measured = await measure(servers, repeats, home);
  const { said, short } = judge(measured);
  const title = `Median (range) of ${repeats} starts`;
  output.say([title, '', formatMeasured(measured), '', ...said, ...short].join('\n'));
  if (write) output.write('npm run bench:mcp');
  return short.length === 0 ? 0 : 1;
}

function readArguments(): Choice & { repeats: number; write: boolean } {
  const { values } = parseArgs({
    options: {
      repeats: { type: 'string', default: '7' },
      server: { type: 'string' },
      'no-build': { type: 'boolean', default: false },
      'no-install': { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
    },
  });
  const repeats = Number(values.repeats);
  if (!Number.isInteger(repeats) || repeats < 1) {
    throw new Error(`--repeats is a whole number from 1 on.\n${usage}`);
  }
  const { server: file, 'no-build': asIs, 'no-install': noInstall, write } = values;
  return { repeats, file, build: !asIs, install: !noInstall, write };
}

/** One warm-up each, then round robin: what the machine does meanwhile hits all alike. */
async function measure(
  servers: readonly Server[],
  repeats: number,
  home: string,
): Promise<readonly Measured[]> {
  const measured: { server: Server; first: Run; runs: Run[]; calls: (readonly number[])[] }[] = [];
  for (const server of servers) {
    measured.push({ server, first: await run(server, home), runs: [], calls: [] });
  }
  for (let repeat = 1; repeat <= repeats; repeat += 1) {
    process.stderr.write(`Round ${repeat} of ${repeats}...\n`);
    for (const { server, runs } of measured) runs.push(await run(server, home));
    for (const { server, calls } of measured) {
      if (server.trivial) calls.push(await timeCalls(server, server.trivial, home));
    }
  }
  return measured;
}

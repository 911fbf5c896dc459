// `npm run bench:fleet`: vision events that one platform takes in a second from many devices, on
// SQLite and on PostgreSQL, and how long a device waits.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startFovea } from '../test/fixtures/fovea-services.ts';
import { hasPostgres, startPostgres } from '../test/fixtures/postgres-server.ts';
import { type Fleet, measureFleet } from './fleet/devices.ts';
import { usageOfTree } from './measure/process-tree.ts';
import { Said } from './measure/said.ts';
import { formatTable } from './measure/text-table.ts';

const usage = `Usage: npm run bench:fleet -- [--devices N] [--batches N,N] [--seconds S] [--write]
  --devices N      that send at once, each one request after the other (100)
  --batches N,N    events of one request (1,10,100)
  --seconds S      of each row (8)
  --write          puts what is said into docs/benchmarks.md
Rows of PostgreSQL need initdb. FOVEA_TEST_ENTRY names the release that runs.`;

const { values } = parseArgs({
  options: {
    devices: { type: 'string', default: '100' },
    batches: { type: 'string', default: '1,10,100' },
    seconds: { type: 'string', default: '8' },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const headings = [
  ...['rows in', 'events each', 'events/s', 'requests/s', 'ms, median', 'ms, 99 %'],
  ...['asked to wait', 'failed', 'CPU ms an event'],
];

if (values.help) process.stdout.write(`${usage}\n`);
else await main();
setTimeout(() => process.exit(), 1_000).unref();

async function main(): Promise<void> {
  const output = new Said();
  const rows = [headings];
  rows.push(...(await measureOn('SQLite', undefined)));
  if (hasPostgres) {
    const server = await startPostgres();
    try {
      rows.push(...(await measureOn('PostgreSQL', (await server.database()).reveal())));
    } finally {
      await server.stop();
    }
  }
  output.say(`\nEvents of ${values.devices} devices (one image, three detections each;`);
  output.say(`${values.seconds} s each; devices, platform and database share these cores; CPU of`);
  output.say('the platform alone):');
  output.say(formatTable(rows));
  if (values.write) output.write('npm run bench:fleet');
}

async function measureOn(name: string, databaseUrl: string | undefined): Promise<string[][]> {
  const folder = await mkdtemp(join(tmpdir(), 'fovea-bench-fleet-'));
  const key = 'a-key-of-the-bench';
  const service = await startFovea(['platform', '--port', '0', '--data', join(folder, 'data')], {
    ...(databaseUrl !== undefined && { FOVEA_DATABASE_URL: databaseUrl }),
    FOVEA_API_KEY: key,
    FOVEA_WORKSPACE: 'acme',
    FOVEA_RATE_LIMIT: '0',
    FOVEA_TASKS: 'off',
    FOVEA_LOG: 'error',
    HOME: folder,
  });
  try {
    const rows: string[][] = [];
    for (const events of values.batches.split(',').map(Number)) {
      process.stderr.write(`${name}, ${events} events in a request...\n`);
      const fleet: Fleet = {
        url: service.url,
        key,
        devices: Number(values.devices),
        eventsEach: events,
        seconds: Number(values.seconds),
      };
      const startMs = usageOfTree(service.child.pid ?? 0).cpuMs;
      const found = await measureFleet(fleet);
      const cpuMs = usageOfTree(service.child.pid ?? 0).cpuMs - startMs;
      rows.push([
        name,
        `${events}`,
        found.eventsPerSecond.toFixed(0),
        found.requestsPerSecond.toFixed(0),
        found.medianMs.toFixed(0),
        found.slowMs.toFixed(0),
        `${found.asked}`,
        `${found.failed}`,
        (cpuMs / found.events).toFixed(3),
      ]);
    }
    return rows;
  } finally {
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

// `npm run bench:cluster`: what 1, 2 and 4 platforms on one PostgreSQL answer in a second, what a
// call takes of statements and round trips, without and with a network that takes 1 ms, versions
// made by 1, 2 and 4 workers, events of 1,000 devices, and searches among millions of images.

import { parseArgs } from 'node:util';
import type { Client } from '../src/http-client/client.ts';
import { hasPostgres, startPostgres } from '../test/fixtures/postgres-server.ts';
import { annotate, find, get, makePhotos, makeProject, remove, upload } from './cluster/calls.ts';
import { type CountingLine, openCountingLine, socketOf } from './cluster/counting-line.ts';
import { measureEvents } from './cluster/events.ts';
import { measureLargeVersion } from './cluster/large-version.ts';
import { startPlatforms } from './cluster/platforms.ts';
import { measureSearches } from './cluster/searches.ts';
import { measureVersions } from './cluster/versions.ts';
import { Said } from './measure/said.ts';
import { formatTable, median } from './measure/text-table.ts';

const usual = ['rates', 'calls', 'versions', 'events', 'searches'] as const;
const parts = [...usual, 'large-version'] as const;

const usage = `Usage: npm run bench:cluster -- [--only PART,PART] [--processes N,N] [--seconds S]
    [--callers N] [--calls N] [--images N] [--pinned] [--far MS] [--devices N] [--rows N,N] [--write]
  --only PART,PART of ${parts.join(', ')} (all but the last, which takes an hour)
  --processes N,N  platforms on one database; workers of versions (1,2,4)
  --seconds S      of each kind of call (8)
  --callers N      at once, in turn over the platforms (8)
  --calls N        of each kind whose statements are counted (30)
  --images N       of a version (320; of the large one 100000)
  --pinned         each worker of a version has one core (taskset)
  --far MS         to the database and back, for a version (30)
  --devices N      that send batches of ten events (1000)
  --rows N,N       images that are searched (1000000)
  --write          puts what is said into docs/benchmarks.md
Needs PostgreSQL (initdb). FOVEA_TEST_ENTRY names the release that runs.`;

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: usual.join(',') },
    processes: { type: 'string', default: '1,2,4' },
    seconds: { type: 'string', default: '8' },
    callers: { type: 'string', default: '8' },
    calls: { type: 'string', default: '30' },
    images: { type: 'string' },
    far: { type: 'string', default: '30' },
    devices: { type: 'string', default: '1000' },
    rows: { type: 'string', default: '1000000' },
    pinned: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

function notRun(): number {
  process.stderr.write('NOT RUN: it needs postgresql of Debian\n');
  return 2;
}

type Part = (typeof parts)[number];

/** What a part says above its table, and the table. */
const measures: Readonly<
  Record<Part, (newDatabase: () => Promise<string>) => Promise<readonly [string, string[][]]>>
> = {
  rates: async (newDatabase) => {
    const rates = [['platforms', 'uploads/s', 'annotated images/s', 'searches/s', 'failed']];
    for (const count of numbersOf(values.processes)) {
      rates.push(await measureRates(count, await newDatabase()));
    }
    const seconds = `${values.seconds} s each, ${values.callers} callers`;
    const title = `Calls per second on one PostgreSQL (${seconds}, files of 20 KB in one folder).
Database, platforms and callers share these cores:`;
    return [title, rates];
  },
  calls: async (newDatabase) => [
    `A call, by itself (median of ${values.calls}):`,
    await measureCosts(new URL(await newDatabase())),
  ],
  versions: async (newDatabase) => [
    `Versions of ${values.images ?? 320} photos of 480 x 320, each resized${values.pinned ? '; a worker has one core' : ''}:`,
    await measureVersions(newDatabase, {
      workers: numbersOf(values.processes),
      images: Number(values.images ?? 320),
      farMs: Number(values.far),
      arePinned: values.pinned,
    }),
  ],
  events: async (newDatabase) => [
    `Vision events, ten in a batch, of ${values.devices} devices at once (${values.seconds} s):`,
    await measureEvents(newDatabase, {
      platforms: numbersOf(values.processes),
      devices: Number(values.devices),
      events: 10,
      seconds: Number(values.seconds),
    }),
  ],
  searches: async (newDatabase) => [
    'Searches by one caller (median of 5):',
    await measureSearches(await newDatabase(), numbersOf(values.rows)),
  ],
  'large-version': async (newDatabase) => [
    `One version of ${values.images ?? 100_000} photos of 480 x 320, each resized${values.pinned ? '; a worker has one core' : ''}:`,
    await measureLargeVersion(await newDatabase(), {
      workers: numbersOf(values.processes),
      images: Number(values.images ?? 100_000),
      arePinned: values.pinned,
    }),
  ],
};

if (values.help) process.stdout.write(`${usage}\n`);
else if (hasPostgres) await main();
else process.exitCode = notRun();
setTimeout(() => process.exit(), 1_000).unref();

function numbersOf(list: string): readonly number[] {
  return list.split(',').map(Number);
}

async function main(): Promise<void> {
  const wanted = values.only.split(',');
  const unknown = wanted.find((name) => !parts.some((part) => part === name));
  if (unknown !== undefined) throw new Error(`--only: "${unknown}" is none of ${parts.join(', ')}`);
  const output = new Said();
  const server = await startPostgres();
  try {
    const newDatabase = async () => (await server.database()).reveal();
    for (const part of parts.filter((name) => wanted.includes(name))) {
      const [title, table] = await measures[part](newDatabase);
      output.say(`\n${title}`);
      output.say(formatTable(table));
    }
  } finally {
    await server.stop();
  }
  if (values.write) output.write('npm run bench:cluster');
}

async function measureRates(count: number, databaseUrl: string): Promise<string[]> {
  process.stderr.write(`${count} platforms...\n`);
  const { clients, close } = await startPlatforms(count, databaseUrl);
  const photoOf = await makePhotos();
  const ids: string[] = [];
  try {
    const [first] = clients;
    if (first === undefined) throw new Error('no platforms');
    await makeProject(first);
    const uploads = await rateOf(clients, async (client, number) => {
      ids.push(await upload(client, number, photoOf(number)));
    });
    const annotated = await rateOf(clients, (client, number) =>
      annotate(client, ids[number % ids.length] ?? '', number),
    );
    const searches = await rateOf(clients, find);
    const rates = [uploads, annotated, searches];
    const failed = rates.reduce((sum, rate) => sum + rate.failed, 0);
    return [`${count}`, ...rates.map(({ perSecond }) => perSecond.toFixed(0)), `${failed}`];
  } finally {
    await close();
  }
}

/** Callers at once, each with one call after the other, of all numbers from 0. */
async function rateOf(
  clients: readonly Client[],
  call: (client: Client, number: number) => Promise<void>,
): Promise<{ perSecond: number; failed: number }> {
  const startMs = performance.now();
  const endMs = startMs + Number(values.seconds) * 1000;
  let next = 0;
  let failed = 0;
  const callers = Array.from({ length: Number(values.callers) }, async (_, place) => {
    const client = clients[place % clients.length];
    while (client !== undefined && performance.now() < endMs) {
      const number = next;
      next += 1;
      await call(client, number).catch(() => {
        failed += 1;
      });
    }
  });
  await Promise.all(callers);
  return { perSecond: ((next - failed) * 1000) / (performance.now() - startMs), failed };
}

interface Cost {
  readonly statements: number;
  readonly roundTrips: number;
  readonly ms: number;
}

async function measureCosts(database: URL): Promise<string[][]> {
  const line = await openCountingLine(socketOf(database));
  const { clients, close } = await startPlatforms(1, line.urlOf(database.pathname.slice(1)));
  try {
    const [client] = clients;
    if (client === undefined) throw new Error('no platform');
    await makeProject(client);
    const near = await costsOf(client, line, 0);
    line.delay(1);
    const far = await costsOf(client, line, 1_000_000);
    const heading = ['call', 'statements', 'round trips', 'ms', 'ms with 1 ms of network'];
    const rows = [...near].map(([name, { statements, roundTrips, ms }]) => {
      const slow = far.get(name)?.ms ?? Number.NaN;
      return [name, `${statements}`, `${roundTrips}`, ms.toFixed(1), slow.toFixed(1)];
    });
    return [heading, ...rows];
  } finally {
    await close();
    line.close();
  }
}

/** `from`: the number of the first photo. */
async function costsOf(
  client: Client,
  line: CountingLine,
  from: number,
): Promise<ReadonlyMap<string, Cost>> {
  const photoOf = await makePhotos();
  const ids: string[] = [];
  const idOf = (number: number) => ids[number - from] ?? '';
  const measured: readonly (readonly [string, (number: number) => Promise<void>])[] = [
    [
      'upload an image',
      async (number) => {
        ids.push(await upload(client, number, photoOf(number)));
      },
    ],
    ['annotate it', (number) => annotate(client, idOf(number), number)],
    ['get it', (number) => get(client, idOf(number))],
    ['search', (number) => find(client, number)],
    ['delete an image', (number) => remove(client, idOf(number))],
  ];
  const costs = new Map<string, Cost>();
  for (const [name, call] of measured) {
    const all: Cost[] = [];
    for (let number = from; number < from + Number(values.calls); number += 1) {
      const { statements, roundTrips } = line.counts;
      const startMs = performance.now();
      await call(number);
      all.push({
        statements: line.counts.statements - statements,
        roundTrips: line.counts.roundTrips - roundTrips,
        ms: performance.now() - startMs,
      });
    }
    const of = (figure: keyof Cost) => median(all.map((cost) => cost[figure]));
    costs.set(name, {
      statements: of('statements'),
      roundTrips: of('roundTrips'),
      ms: of('ms'),
    });
  }
  return costs;
}

// What goes wrong in a round: some faults, at times by chance. Each ends by itself.

import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { limits } from '../../src/limits.ts';
import { below, between, type Random, shuffled } from '../../src/seeded-random.ts';
import { SerialQueue } from '../../src/serial-queue.ts';
import { testImage } from '../../test/fixtures/images.ts';
import { Sight } from './calls.ts';
import { type Cluster, sql } from './cluster.ts';
import { openDesk } from './deed.ts';
import type { Member } from './member.ts';

export interface Fault {
  readonly name: string;
  /** Resolves once all of it works again. */
  run(cluster: Cluster, random: Random): Promise<void>;
}

const killPlatform: Fault = {
  name: 'platform killed',
  run: ({ platforms }, random) => killAndStart(platforms, random),
};

/** Of a platform that has stored a file and not its row: nobody sends that file again. */
const killAfterPut: Fault = {
  name: 'killed after a put',
  run: async (cluster, random) => {
    const member = cluster.platforms[below(random, cluster.platforms.length)];
    const caller = { url: cluster.url, key: cluster.key, sight: new Sight() };
    const desk = await openDesk(caller, 'left behind');
    if (member === undefined || desk === undefined) return;
    const content = await testImage(below(random, 50_000), 'webp');
    const hash = createHash('sha256').update(content).digest('hex');
    let killing = Promise.resolve(false);
    const kill = async (path: string) => {
      if (!path.includes(hash)) return;
      killing = member.kill();
      if (await killing) cluster.orphaned.add(hash);
    };
    cluster.objectsLine.stored.add(kill);
    await sendOnce(cluster, member.url, desk.project, content);
    cluster.objectsLine.stored.delete(kill);
    if (await killing) await member.start();
  },
};

/** Whatever comes of it. */
async function sendOnce(
  { key }: Cluster,
  url: string,
  project: string,
  content: Buffer,
): Promise<void> {
  const body = new FormData();
  body.set('file', new Blob([Uint8Array.from(content)]), 'left-behind.webp');
  const path = `/dataset/${project}/upload?name=left-behind.webp&split=train`;
  const headers = { authorization: `Bearer ${key}` };
  const signal = AbortSignal.timeout(10_000);
  await fetch(url + path, { method: 'POST', headers, body, signal }).catch(() => {});
}

const killWorker: Fault = {
  name: 'worker killed',
  run: ({ workers }, random) => killAndStart(workers, random),
};

async function killAndStart(members: readonly Member[], random: Random): Promise<void> {
  const member = members[below(random, members.length)];
  if (member === undefined || !(await member.kill())) return;
  await wait(between(random, 0, 2_000));
  await member.start();
}

const killDatabase: Fault = {
  name: 'database killed',
  run: ({ server }, random) =>
    deaths.run(async () => {
      await server.kill();
      await wait(between(random, 0, 3_000));
      await server.start();
    }),
};

/** Of the one server. */
const deaths = new SerialQueue();

const cutConnections: Fault = {
  name: 'connections cut',
  run: async ({ databaseLine }, random) => {
    const share = between(random, 0.2, 1);
    for (let times = 1 + below(random, 5); times > 0; times -= 1) {
      databaseLine.cut(() => random() < share);
      await wait(between(random, 20, 700));
    }
  },
};

const slowDatabase: Fault = {
  name: 'database slow',
  run: async ({ databaseLine }, random) => {
    databaseLine.delay(between(random, 20, 300));
    await wait(between(random, 1_000, 4_000));
    databaseLine.delay(0);
  },
};

const refusingObjects: Fault = {
  name: 'objects refuse',
  run: async ({ objectsLine }, random) => {
    const share = random() < 0.3 ? 1 : between(random, 0.2, 0.9);
    objectsLine.refuse(() => {
      if (random() >= share) return undefined;
      return random() < 0.5 ? 500 : 503;
    });
    await wait(between(random, 1_000, 8_000));
    objectsLine.refuse(() => undefined);
  },
};

const pauseWorker: Fault = {
  name: 'worker stopped',
  run: async ({ workers }, random) => {
    const member = workers[below(random, workers.length)];
    member?.pause();
    await wait(limits.taskLeaseMs + between(random, 500, 4_000));
    member?.resume();
  },
};

/** One of them goes on first: it takes the tasks of the others, who come back in the middle. */
const pauseAllWorkers: Fault = {
  name: 'all workers stopped',
  run: async (cluster, random) => {
    await versionsBegun(cluster);
    const [first, ...others] = shuffled(cluster.workers, random);
    for (const member of cluster.workers) member.pause();
    await wait(limits.taskLeaseMs + between(random, 500, 2_000));
    first?.resume();
    await wait(between(random, 500, 2_500));
    for (const member of others) member.resume();
  },
};

/** So that there is something to take over; where nothing begins, it resolves all the same. */
async function versionsBegun(cluster: Cluster): Promise<void> {
  const text = `SELECT 1 FROM work WHERE kind = 'version' AND status = 'running' AND current > 0`;
  for (let times = 0; times < 200; times += 1) {
    const rows = await sql(cluster, text).catch(() => []);
    if (rows.length > 0) return;
    await wait(20);
  }
}

export const faults: readonly Fault[] = [
  killPlatform,
  killAfterPut,
  killWorker,
  killDatabase,
  cutConnections,
  slowDatabase,
  refusingObjects,
  pauseWorker,
  pauseAllWorkers,
];

/** Some of them, one after the other or at once; resolves to their names once all have ended. */
export async function runFaults(
  cluster: Cluster,
  chosen: readonly Fault[],
  random: Random,
  roundMs: number,
): Promise<void> {
  await Promise.all(
    chosen.map(async (fault) => {
      await wait(between(random, 0, roundMs));
      await fault.run(cluster, random);
    }),
  );
}

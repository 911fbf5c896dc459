// Platforms on one PostgreSQL database, with their files in one folder, each with a client.

import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Member } from '../../scripts/faults-cluster/member.ts';
import { systemClock } from '../../src/clock.ts';
import type { Client } from '../../src/http-client/client.ts';
import { createClient } from '../../src/http-client/create-client.ts';
import { Secret } from '../../src/secret.ts';
import { startFovea } from '../../test/fixtures/fovea-services.ts';

export interface Platforms {
  readonly clients: readonly Client[];
  /** One that takes their tasks, with the database by this URL; on one core or on all. */
  startWorker(url: string, core?: number): Promise<void>;
  /** Those that were started. */
  stopWorkers(): Promise<void>;
  close(): Promise<void>;
}

const key = 'a-key-of-the-bench';
export const workspace = 'acme';

/** Tasks are left out, so that requests alone are measured. */
export async function startPlatforms(count: number, databaseUrl: string): Promise<Platforms> {
  const folder = await mkdtemp(join(tmpdir(), 'fovea-bench-cluster-'));
  const data = join(folder, 'data');
  await mkdir(data);
  const settings = { FOVEA_WORKSPACE: workspace, FOVEA_LOG: 'error', HOME: folder };
  const start = () =>
    startFovea(['platform', '--port', '0', '--data', data], {
      ...settings,
      FOVEA_DATABASE_URL: databaseUrl,
      FOVEA_API_KEY: key,
      FOVEA_RATE_LIMIT: '0',
      FOVEA_TASKS: 'off',
    });
  const workers: Member[] = [];
  // The first one makes the tables.
  const services = [await start()];
  services.push(...(await Promise.all(Array.from({ length: count - 1 }, start))));
  const clients = services.map(({ url }) => clientOf(url));
  const stopWorkers = async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.kill()));
  };
  return {
    clients,
    stopWorkers,
    startWorker: async (url, core) => {
      const name = `worker ${workers.length + 1}`;
      const environment = { ...settings, FOVEA_DATABASE_URL: url };
      const words = ['worker', '--data', data];
      const worker = new Member({ name, words, environment, ...(core !== undefined && { core }) });
      workers.push(worker);
      await worker.start();
    },
    close: async () => {
      await stopWorkers();
      await Promise.all(clients.map((client) => client.close()));
      await Promise.all(services.map((service) => service.stop()));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function clientOf(url: string): Client {
  const upstream = async () => ({ url, credential: new Secret(key) });
  return createClient({
    upstreams: { base: upstream, device: upstream },
    clock: systemClock,
    timeoutMs: 60_000,
  });
}

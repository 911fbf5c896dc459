// A PostgreSQL cluster of the bench's own, in a temporary folder.

import { spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { serverUser } from '../../test/fixtures/postgres-server.ts';
import { postgresFolder } from './packages.ts';
import { type Program, startProgram } from './service.ts';

export interface Cluster {
  readonly program: Program;
  /** The folder of its socket. */
  readonly socketFolder: string;
}

/** Starts a new cluster whose commits are durable, which is how PostgreSQL comes. */
export async function startCluster(folder: string): Promise<Cluster> {
  const data = join(folder, 'cluster');
  mkdirSync(data, { recursive: true });
  const user = serverUser();
  for (const path of [folder, data]) if (user) chownSync(path, user.uid, user.gid);
  const { status, stderr } = spawnSync(
    join(postgresFolder, 'initdb'),
    ['--pgdata', data, '--username', 'postgres', '--auth', 'trust', '--encoding', 'UTF8'],
    { ...user, cwd: data },
  );
  if (status !== 0) throw new Error(`The cluster could not be made.\n${stderr}`);
  const settings = [
    'listen_addresses=',
    `unix_socket_directories=${folder}`,
    'fsync=on',
    'synchronous_commit=on',
  ];
  const program = startProgram(
    join(postgresFolder, 'postgres'),
    ['-D', data, ...settings.flatMap((setting) => ['-c', setting])],
    { ...user },
  );
  for (const start = performance.now(); !program.words().includes('ready to accept'); ) {
    if (program.hasEnded() || performance.now() - start > startMsMax) {
      await program.stop();
      throw new Error(`PostgreSQL did not start.\n${program.words()}`);
    }
    await sleep(20);
  }
  if (!existsSync(join(folder, '.s.PGSQL.5432'))) throw new Error('PostgreSQL has no socket.');
  // SIGTERM waits for all clients to go; SIGINT sends them away.
  return {
    program: { ...program, stop: () => program.stop('SIGINT') },
    socketFolder: folder,
  };
}

const startMsMax = 30_000;

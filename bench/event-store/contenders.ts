// The Event Stores that stand side by side in the bench, and how each is started.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { startCluster } from './postgres.ts';
import { freePort, type Service, serviceOf, startProgram } from './service.ts';

export interface Contender {
  readonly name: string;
  readonly role: 'ours' | 'beside' | 'fastapi' | 'postgres' | 'raw';
  /** Starts it with an empty store in this folder, or with the one that is there. */
  start(folder: string): Promise<Service>;
}

const root = join(import.meta.dirname, '../..');
const peersFolder = join(root, 'bench/peers/event-store');

/** Ours; `file` stands in for the built Fovea. */
export function findOurs(file: string | undefined): Contender {
  const program = file ?? build();
  return { name: 'fovea event-store', role: 'ours', start: (folder) => startOurs(program, folder) };
}

/** Another release of ours, which only durable events are measured of. */
export function besideOurs(file: string): Contender {
  return { name: 'the other release', role: 'beside', start: (folder) => startOurs(file, folder) };
}

export const fastApi: Contender = {
  name: 'FastAPI + SQLite',
  role: 'fastapi',
  start: startFastApi,
};

export const postgres: Contender = {
  name: 'node:http + PostgreSQL 15',
  role: 'postgres',
  start: startPostgres,
};

export const rawPipe: Contender = {
  name: 'raw body into a file, node:http',
  role: 'raw',
  start: startRawPipe,
};

/** No limit is met while the bench runs: it measures the store, not its cleanup. */
const ourSettings = {
  RETENTION_DAYS: '3650',
  MAX_RECORDS: '1000000000',
  MAX_BYTES: '1000000000000',
  FOVEA_LOG: 'error',
};

async function startOurs(file: string, folder: string): Promise<Service> {
  const port = await freePort();
  const program = startProgram(
    process.execPath,
    [file, 'event-store', '--port', String(port), '--data', folder],
    { env: { ...ourSettings, HOME: folder } },
  );
  return serviceOf(`http://127.0.0.1:${port}`, [program]);
}

async function startFastApi(folder: string): Promise<Service> {
  const port = await freePort();
  const program = startProgram(
    '/usr/bin/python3',
    [
      '-m',
      'uvicorn',
      '--app-dir',
      peersFolder,
      '--host',
      '127.0.0.1',
      '--port',
      String(port),
      '--loop',
      'uvloop',
      '--http',
      'httptools',
      '--no-access-log',
      '--log-level',
      'warning',
      'fastapi-service:app',
    ],
    { env: { DATA: folder, PYTHONDONTWRITEBYTECODE: '1' } },
  );
  return serviceOf(`http://127.0.0.1:${port}`, [program]);
}

async function startPostgres(folder: string): Promise<Service> {
  installPeers();
  const files = join(folder, 'files');
  mkdirSync(files, { recursive: true });
  const { program, socketFolder } = await startCluster(folder);
  const port = await freePort();
  const service = join(peersFolder, 'postgres-service.mjs');
  const parameters = [service, socketFolder, files, String(port)];
  const server = startProgram(process.execPath, parameters, { env: { NODE_ENV: 'production' } });
  return serviceOf(`http://127.0.0.1:${port}`, [server, program]);
}

async function startRawPipe(folder: string): Promise<Service> {
  const port = await freePort();
  const parameters = [join(peersFolder, 'raw-service.mjs'), folder, String(port)];
  return serviceOf(`http://127.0.0.1:${port}`, [startProgram(process.execPath, parameters)]);
}

function build(): string {
  const { status } = spawnSync(process.execPath, [join(root, 'scripts/build.ts')], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) throw new Error('Fovea could not be built; `npm run build` says why.');
  return join(root, 'dist/fovea.js');
}

function installPeers(): void {
  if (existsSync(join(peersFolder, 'node_modules/pg'))) return;
  process.stderr.write('Installing pg into bench/peers/event-store (once)...\n');
  const { status } = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: peersFolder,
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) {
    throw new Error(
      'pg could not be installed (npm ci in bench/peers/event-store); is npm offline?',
    );
  }
}

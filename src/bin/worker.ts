// `fovea worker`: takes background tasks of a platform, beside processes that answer requests.

import { existsSync } from 'node:fs';
import { systemClock } from '../clock.ts';
import type { WorkerCommand } from '../commands.ts';
import { readSettings } from '../config.ts';
import { FoveaError, invalidArgument } from '../errors.ts';
import { createLog } from '../log.ts';
import { refuseUnfinishedMove, rowsFile } from '../platform/open-platform-database.ts';
import { startTaskService } from '../platform/task-service.ts';
import { type LaneName, laneNames } from '../task-lanes.ts';
import { platformOptions } from './platform-options.ts';
import { dataFolder, prepareDataFolder } from './prepare-data-folder.ts';

/** Takes tasks until SIGTERM or SIGINT. Prints one line on stdout once it does. */
export async function runWorker({ data, lanes }: WorkerCommand): Promise<void> {
  const wanted = lanes.length === 0 ? laneNames : [...new Set(lanes.map(readLane))];
  const settings = readSettings();
  if (settings.databaseUrl === undefined) {
    refuseNoPlatform(dataFolder(data, settings.home, 'platform'));
  }
  const service = await startTaskService({
    ...platformOptions(settings, 0),
    data: prepareDataFolder(data, settings.home, 'platform'),
    log: createLog(settings.logLevel).part('worker'),
    clock: systemClock,
    lanes: wanted,
  });
  process.stdout.write(`takes tasks: ${wanted.join(', ')}\n`);
  // Lookups of tasks keep no process alive.
  const staysAlive = setInterval(() => {}, aDayMs);
  const stop = () => {
    clearInterval(staysAlive);
    void service.close().finally(() => process.exit());
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}

const aDayMs = 24 * 60 * 60 * 1000;

/** Where there is none, a worker would wait for ever. */
function refuseNoPlatform(folder: string): void {
  refuseUnfinishedMove(folder);
  if (existsSync(rowsFile(folder))) return;
  throw new FoveaError('not_found', `There is no platform in "${folder}".`, {
    hint:
      'Give --data or FOVEA_HOME of the platform, and start the platform first; or set ' +
      'FOVEA_DATABASE_URL to its database.',
  });
}

function readLane(name: string): LaneName {
  const lane = laneNames.find((each) => each === name);
  if (lane !== undefined) return lane;
  throw invalidArgument('--lane', `must be one of ${laneNames.join(', ')}`);
}

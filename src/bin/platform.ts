// `fovea platform`: the embedded platform as a service of its own.

import { join } from 'node:path';
import { systemClock } from '../clock.ts';
import type { ServiceCommand } from '../command-line.ts';
import { readSettings } from '../config.ts';
import { createLog } from '../log.ts';
import { startPlatform } from '../platform/platform.ts';
import { makeDataFolder } from './data-folder.ts';
import { localWorkspace } from './services.ts';

/** Serves until SIGTERM or SIGINT. Prints the URL on stdout once it answers. */
export async function runPlatform(command: ServiceCommand): Promise<void> {
  const settings = readSettings();
  const log = createLog(settings.logLevel).part('platform');
  const service = await startPlatform({
    data: makeDataFolder(
      command.data ?? join(settings.home, 'platform'),
      command.data === undefined ? 'FOVEA_HOME' : '--data',
    ),
    host: command.host,
    port: command.port,
    workspace: settings.workspace ?? localWorkspace,
    versionMultiplierMax: settings.versionMultiplierMax,
    keys: settings.apiKey === undefined ? [] : [settings.apiKey],
    log,
    clock: systemClock,
  });
  if (settings.apiKey === undefined) {
    log.warn('FOVEA_API_KEY is not set: the platform accepts no key.');
  }
  process.stdout.write(`${service.url}\n`);
  // A picture that a thread still works on must not keep the process: its work was given back.
  const stop = () => void service.close().finally(() => process.exit());
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}

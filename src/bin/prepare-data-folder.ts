// Finds, makes and checks the data folder of a service before it is opened.

import { accessSync, constants, existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from '../config.ts';
import { makeFolder } from '../durable-folders.ts';
import { invalidArgument, systemErrorCode } from '../errors.ts';
import type { Log } from '../log.ts';
import { rowsFile } from '../platform/open-platform-database.ts';

/** The folder of each service below FOVEA_HOME, with the file of its data. */
const services = { platform: 'platform.db', 'event-store': 'events.db' } as const;

/**
 * The folder that `--data` names, made where it is missing; without that option the one of the
 * service below FOVEA_HOME. Throws `invalid_input` where it cannot be made or written, and where
 * `--data` names a FOVEA_HOME: a service would begin empty beside its data.
 */
export function prepareDataFolder(
  data: string | undefined,
  home: string,
  service: keyof typeof services,
): string {
  const path = dataFolder(data, home, service);
  const setting = data === undefined ? 'FOVEA_HOME' : '--data';
  try {
    makeFolder(path);
    accessSync(path, constants.W_OK | constants.X_OK);
    return path;
  } catch (cause) {
    const message = `"${path}" cannot be the data folder (${String(systemErrorCode(cause))})`;
    throw invalidArgument(setting, message, `Set ${setting} to a folder that you may write.`);
  }
}

/** That folder, which may be missing. Throws `invalid_input` where `--data` names a FOVEA_HOME. */
export function dataFolder(
  data: string | undefined,
  home: string,
  service: keyof typeof services,
): string {
  if (data !== undefined) refuseHome(data, service);
  return data ?? join(home, service);
}

/** To be called before anything is opened there; what it gives is called once all is. */
export function noticeNewPlatform(
  data: string,
  { databaseUrl }: Pick<Settings, 'databaseUrl'>,
  log: Log,
): () => void {
  const isNew = databaseUrl === undefined && !existsSync(rowsFile(data));
  return () => {
    if (isNew) log.warn('A new, empty platform was made.', { folder: data });
  };
}

function refuseHome(data: string, service: keyof typeof services): void {
  const below = join(data, service);
  const file = services[service];
  if (existsSync(join(data, file)) || !existsSync(join(below, file))) return;
  throw invalidArgument(
    '--data',
    `"${data}" is a FOVEA_HOME: the data is in "${below}"`,
    `Give --data "${below}", or set FOVEA_HOME to "${data}" and leave --data out.`,
  );
}

// Makes and checks the data folder of a service before it is opened.

import { accessSync, constants } from 'node:fs';
import { invalidArgument, systemErrorCode } from '../errors.ts';
import { makeFolder } from '../folder-sync.ts';

/** Makes the folder. Throws `invalid_input` naming `setting` where it cannot be made or written. */
export function prepareDataFolder(path: string, setting: string): string {
  try {
    makeFolder(path);
    accessSync(path, constants.W_OK | constants.X_OK);
    return path;
  } catch (cause) {
    const message = `"${path}" cannot be the data folder (${String(systemErrorCode(cause))})`;
    throw invalidArgument(setting, message, `Set ${setting} to a folder that you may write.`);
  }
}

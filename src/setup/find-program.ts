// Finds programs on the PATH.

import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { SystemEnvironment } from './system-environment.ts';

/** Where a program is found; undefined: nowhere. */
export async function findProgram(
  name: string,
  { environment, platform }: SystemEnvironment,
): Promise<string | undefined> {
  const path = environment.PATH ?? environment.Path ?? '';
  const endings = platform === 'win32' ? ['.exe', '.cmd', '.bat', ''] : [''];
  const folders = path.split(delimiter).filter((folder) => folder !== '');
  for (const folder of folders) {
    for (const ending of endings) {
      const at = join(folder, `${name}${ending}`);
      if (await canRun(at)) return at;
    }
  }
  return undefined;
}

function canRun(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

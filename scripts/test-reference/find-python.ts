// Which Python of this machine has the packages that a reference or a bench needs.

import { spawnSync } from 'node:child_process';

/** The one that comes with a distribution may stand behind another on the PATH. */
const names = ['python3', '/usr/bin/python3'];

/** The first Python that can import all of these modules, if there is one. */
export function findPython(packages: readonly string[]): string | undefined {
  return names.find((name) => {
    const words = ['-c', `import ${packages.join(', ')}`];
    return spawnSync(name, words, { stdio: 'ignore' }).status === 0;
  });
}

// Which Python of this machine has the packages that a reference or a bench needs.

import { spawnSync } from 'node:child_process';

/** The one that comes with a distribution may stand behind another on the PATH. */
const names = ['python3', '/usr/bin/python3'];

/** The path of the first Python that can import all of these modules, if there is one. */
export function findPython(packages: readonly string[]): string | undefined {
  const program = `import sys, ${packages.join(', ')}; print(sys.executable)`;
  for (const name of names) {
    const { status, stdout } = spawnSync(name, ['-c', program], { encoding: 'utf8' });
    if (status === 0) return stdout.trim();
  }
  return undefined;
}

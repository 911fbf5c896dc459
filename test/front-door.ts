// The test files that launch Fovea: those that reach fixtures/under-test.ts by what they import.

import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const launcher = 'test/fixtures/under-test.ts';

/** Their paths, from the root of the repository, sorted. */
export function frontDoorTests(): readonly string[] {
  const known = new Map<string, boolean>();
  const launches = (file: string): boolean => {
    if (file === launcher) return true;
    const before = known.get(file);
    if (before !== undefined) return before;
    // What comes back to itself adds nothing new.
    known.set(file, false);
    const found = importsOf(file).some(launches);
    known.set(file, found);
    return found;
  };
  return globSync('test/**/*.test.ts').filter(launches).sort();
}

/** What a file imports from below test/. */
function importsOf(file: string): readonly string[] {
  const found = readFileSync(file, 'utf8').matchAll(/\bfrom '(\.{1,2}\/[^']+)'/g);
  return [...found]
    .map(([, path = '']) => join(dirname(file), path))
    .filter((path) => path.startsWith('test/') && existsSync(path));
}

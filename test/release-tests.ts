// The test files that launch Fovea: those that reach fixtures/under-test.ts by what they import.

import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const launcher = 'test/fixtures/under-test.ts';

/** Their paths, from the root of the repository, sorted. */
export function releaseTests(): readonly string[] {
  const imports = new Map<string, readonly string[]>();
  const importsOf = (file: string) => {
    const known = imports.get(file) ?? readImports(file);
    imports.set(file, known);
    return known;
  };
  const reachesLauncher = (file: string, seen: Set<string>): boolean => {
    if (file === launcher) return true;
    if (seen.has(file)) return false;
    seen.add(file);
    return importsOf(file).some((each) => reachesLauncher(each, seen));
  };
  // The suites of conformance install packages below test/, which have tests of their own.
  return globSync('test/**/*.test.ts', { exclude: ['**/node_modules/**'] })
    .filter((file) => reachesLauncher(file, new Set()))
    .sort();
}

/** What a file imports from below test/. */
function readImports(file: string): readonly string[] {
  const found = readFileSync(file, 'utf8').matchAll(/\b(?:from|import) *\(?'(\.{1,2}\/[^']+)'/g);
  return [...found]
    .map(([, path = '']) => join(dirname(file), path))
    .filter((path) => path.startsWith('test/') && existsSync(path));
}

// The packages that a bundle carries beside its own code: sharp, in WebAssembly.

import { cpSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Each with where it lies. The native halves of sharp stay out: hosts refuse them. */
const packages: Readonly<Record<string, string>> = {
  sharp: 'node_modules',
  'detect-libc': 'node_modules',
  semver: 'node_modules',
  '@img/colour': 'node_modules',
  '@img/sharp-wasm32': 'scripts/mcpb/node_modules',
  '@emnapi/runtime': 'scripts/mcpb/node_modules',
  tslib: 'scripts/mcpb/node_modules',
};

/** What no program reads. Licences stay. */
const unneeded =
  /(\.d\.[cm]?ts|\.map|\.flow|README\.md|CHANGELOG\.md)$|sharp\/(src|install)$|iife|esm-bundler/;

/** Copies them into a folder's node_modules. */
export function copyPackages(folder: string): void {
  for (const [name, from] of Object.entries(packages)) {
    const target = join(folder, 'node_modules', name);
    cpSync(join(from, name), target, { recursive: true, filter: (path) => !unneeded.test(path) });
  }
}

/** The files below a folder that hold machine code, whatever they are called. */
export function nativeFiles(folder: string): readonly string[] {
  return globSync('**', { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => path.endsWith('.node') || isMachineCode(path));
}

/** ELF, Windows (MZ) and Mach-O, the latter in all four forms and as a file of several. */
function isMachineCode(path: string): boolean {
  const magic = readFileSync(path).subarray(0, 4).toString('hex');
  return magic === '7f454c46' || magic.startsWith('4d5a') || machO.has(magic);
}

const machO: ReadonlySet<string> = new Set([
  ...['feedface', 'feedfacf', 'cefaedfe', 'cffaedfe', 'cafebabe'],
]);

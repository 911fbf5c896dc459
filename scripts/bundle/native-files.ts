// Machine code in a folder, which desktop hosts refuse or cannot load.

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

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
  'feedface',
  'feedfacf',
  'cefaedfe',
  'cffaedfe',
  'cafebabe',
]);

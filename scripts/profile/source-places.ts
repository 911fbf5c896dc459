// Finds the sources of functions in the release, by the source maps beside its scripts.

import { existsSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { basename, dirname, isAbsolute, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Locate } from './threads.ts';

/** `root`: the folder from which paths are said. */
export function createLocate(root: string): Locate {
  const maps = new Map<string, SourceMap | undefined>();
  return ({ functionName, url, lineNumber, columnNumber }) => {
    const name = functionName || '(anonymous)';
    if (url.startsWith('wasm:')) return { name, file: 'WebAssembly', line: 0 };
    // Those of CommonJS have paths.
    const script = url.startsWith('file:') ? fileURLToPath(url) : url;
    if (!isAbsolute(script)) return { name, file: url, line: lineNumber + 1 };
    if (!maps.has(script)) maps.set(script, readMap(script));
    const found = maps.get(script)?.findEntry(lineNumber, columnNumber);
    if (found === undefined || !('originalSource' in found)) {
      return { name, file: basename(script), line: lineNumber + 1 };
    }
    const file = relative(root, resolve(dirname(script), found.originalSource));
    return { name, file, line: found.originalLine + 1 };
  };
}

function readMap(script: string): SourceMap | undefined {
  const path = `${script}.map`;
  return existsSync(path) ? new SourceMap(JSON.parse(readFileSync(path, 'utf8'))) : undefined;
}

// sharp in WebAssembly, whatever else is installed. The release has another module in the place of
// this one (scripts/build/sharp-wasm.ts): the same export, and the packages inside.

import Module, { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** One for each thread: it starts threads of its own, and has memory of its own. */
export function openWasmSharp(): typeof import('sharp')['default'] {
  const require = createRequire(import.meta.url);
  const folder = dirname(require.resolve('sharp'));
  for (const path of Object.keys(require.cache)) {
    if (dirname(path) === folder) delete require.cache[path];
  }
  // The one file that looks for the other half of sharp would find the native one first.
  const path = join(folder, 'sharp.cjs');
  const half = new Module(path);
  half.exports = require('@img/sharp-wasm32/sharp.node');
  half.loaded = true;
  require.cache[path] = half;
  return require('sharp');
}

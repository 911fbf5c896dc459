// Pixel operations on 8-bit RGB in WebAssembly memory, in whole numbers only, so that every machine
// gives the same bytes. decisions/kernel.md says why.

import { colourOperations } from './colour-operations.ts';
import { copyOperations } from './copy-operations.ts';
import { decodingOperations } from './decoding-operations.ts';
import { encodingOperations } from './encoding-operations.ts';
import { filterOperations } from './filter-operations.ts';
import type { Kernel } from './operations.ts';
import { createWasmInstance } from './wasm-instance.ts';

/** A kernel with a memory of its own; one per thread. */
export function createKernel(): Kernel {
  const wasm = createWasmInstance();
  return {
    mark: wasm.mark,
    release: wasm.release,
    ...copyOperations(wasm),
    ...filterOperations(wasm),
    ...colourOperations(wasm),
    ...encodingOperations(wasm),
    ...decodingOperations(wasm),
  };
}

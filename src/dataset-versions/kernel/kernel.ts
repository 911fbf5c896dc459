// Pixel operations on 8-bit RGB in WebAssembly memory: whole numbers only, so that every machine
// gives the same bytes. decisions/kernel.md says why.

import { colourOperations } from './colours.ts';
import { copyOperations } from './copies.ts';
import { encodingOperations } from './encoding.ts';
import { filterOperations } from './filters.ts';
import { startMachine } from './machine.ts';
import type { Kernel } from './operations.ts';

/** A kernel with a memory of its own; one per thread. */
export function createKernel(): Kernel {
  const machine = startMachine();
  return {
    mark: machine.mark,
    release: machine.release,
    ...copyOperations(machine),
    ...filterOperations(machine),
    ...colourOperations(machine),
    ...encodingOperations(machine),
  };
}

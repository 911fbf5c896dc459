// Operations of the kernel that change colours in place.

import { invalidArgument } from '../../errors.ts';
import { bytesOf } from './copy-operations.ts';
import { mixWeights } from './fixed-point.ts';
import type { Kernel } from './operations.ts';
import type { WasmInstance } from './wasm-instance.ts';

type ColourOperations = Pick<Kernel, 'add' | 'lookup' | 'mix' | 'rotateHue'>;

export function colourOperations(wasm: WasmInstance): ColourOperations {
  const { call } = wasm;
  return {
    add: (pixels, amount) => {
      const whole = Math.min(Math.max(Math.round(amount), -255), 255);
      if (whole !== 0) call.add(pixels.pointer, bytesOf(pixels), whole);
    },
    lookup: (pixels, table) => {
      if (table.length !== 256) throw invalidArgument('table', 'must have 256 entries');
      wasm.withScratch(() => {
        const entries = wasm.allocate(256);
        wasm.view(entries, 256).set(table);
        call.lookup(pixels.pointer, bytesOf(pixels), entries);
      });
    },
    mix: (pixels, matrix) => {
      const { weights, bits } = mixWeights(matrix);
      wasm.withScratch(() => {
        const bytes = new Uint8Array(weights.buffer);
        const pointer = wasm.allocate(bytes.length);
        wasm.view(pointer, bytes.length).set(bytes);
        call.mix(pixels.pointer, bytesOf(pixels), pointer, bits);
      });
    },
    rotateHue: (pixels, degrees) => {
      const turns = degrees / 360;
      const place = Math.round((turns - Math.floor(turns)) * hueCircle) % hueCircle;
      if (place === 0) return;
      const sextants = Math.trunc(place / sextant);
      call.rotateHue(pixels.pointer, bytesOf(pixels), sextants, place % sextant);
    },
  };
}

/** Steps of the hue, as assembly/colour.ts counts them. */
const sextant = 32_768;
const hueCircle = 6 * sextant;

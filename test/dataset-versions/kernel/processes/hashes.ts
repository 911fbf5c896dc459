// Prints a hash of what each operation makes of noise. compilers.processes.test.ts runs it under
// several versions of Node, with options of V8.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createKernel } from '../../../../src/dataset-versions/kernel/kernel.ts';
import type { Pixels } from '../../../../src/dataset-versions/kernel/operations.ts';
import { noise } from '../images.ts';

const kernel = createKernel();
const pixels = kernel.load(noise(211, 157));
const size = { width: 200, height: 190 };

const images: Readonly<Record<string, () => Pixels>> = {
  warp: () => kernel.warp(pixels, [1.05, 0.2, -0.3, 0.95, 20.5, -7.25], size, [9, 90, 200]),
  blurLittle: () => kernel.blur(pixels, 0.5),
  blur: () => kernel.blur(pixels, 1.7),
  blurMuch: () => kernel.blur(pixels, 30),
  resampleSmaller: () => kernel.resample(pixels, { width: 100, height: 73 }),
  resampleLarger: () => kernel.resample(pixels, { width: 300, height: 401 }),
  blank: () => kernel.blank(size, [9, 90, 200]),
  mirror: () => kernel.turn(pixels, { mirrored: true, quarters: 0 }),
  turn: () => kernel.turn(pixels, { mirrored: false, quarters: 1 }),
  add: () => changed((copy) => kernel.add(copy, 20)),
  lookup: () => changed((copy) => kernel.lookup(copy, table)),
  mix: () => changed((copy) => kernel.mix(copy, [1.3, -0.2, -0.1, -0.1, 1.2, -0.1, 0, -0.4, 1.4])),
  rotateHue: () => changed((copy) => kernel.rotateHue(copy, 33)),
  decodeHalf: () => decoded('chroma-4-2-2.jpg'),
  decodeQuarter: () => decoded('restart-markers.jpg'),
};

const table = Uint8Array.from({ length: 256 }, (_, at) => (at * 7) % 256);

function changed(change: (pixels: Pixels) => void): Pixels {
  const copy = kernel.crop(pixels, { left: 0, top: 0, width: 211, height: 157 });
  change(copy);
  return copy;
}

function decoded(name: string): Pixels {
  const file = readFileSync(join(import.meta.dirname, '../files', name));
  return kernel.decodeJpeg(file) ?? kernel.blank({ width: 0, height: 0 }, [0, 0, 0]);
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 16);
}

const hashes = Object.entries(images).map(([name, make]) => [name, hashOf(kernel.bytes(make()))]);
const files = [30, 95].map((quality) => [
  `jpeg${quality}`,
  hashOf(kernel.encodeJpeg(pixels, quality)),
]);
process.stdout.write(JSON.stringify(Object.fromEntries([...hashes, ...files])));

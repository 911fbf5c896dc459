// A model that finds the same square, in the middle, in every picture.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onnxModel } from '../../../src/trainers/example/onnx-writer.ts';

/** Its file, and what removes it: half of the picture each way, for pictures of 64 x 48. */
export async function squareFinder() {
  const folder = await mkdtemp(join(tmpdir(), 'fovea-square-finder-'));
  const path = join(folder, 'square-finder.onnx');
  await writeFile(path, model);
  return { path, remove: () => rm(folder, { recursive: true, force: true }) };
}

// The pixels count for nothing: their sum is multiplied by zero.
const model = onnxModel({
  name: 'square-finder',
  inputs: [{ name: 'images', shape: [1, 3, 64, 64] }],
  outputs: [{ name: 'output', shape: [1, 5, 1] }],
  nodes: [
    {
      operator: 'ReduceSum',
      inputs: ['images', 'axes'],
      outputs: ['sum'],
      attributes: { keepdims: { int: 0 } },
    },
    { operator: 'Mul', inputs: ['sum', 'zero'], outputs: ['nothing'] },
    { operator: 'Add', inputs: ['nothing', 'square'], outputs: ['output'] },
  ],
  constants: [
    { name: 'axes', type: 'int64', shape: [3], values: [1, 2, 3] },
    { name: 'zero', type: 'float', shape: [1], values: [0] },
    { name: 'square', type: 'float', shape: [1, 5, 1], values: [32, 32, 32, 24, 0.75] },
  ],
  metadata: { names: '["square"]' },
});

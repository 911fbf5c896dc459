// A model that finds the same square, in the middle, in every picture.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { constantModel } from '../../fixtures/onnx-models.ts';

/** Its file, and what removes it: half of the picture each way, for pictures of 64 x 48. */
export async function squareFinder() {
  const folder = await mkdtemp(join(tmpdir(), 'fovea-square-finder-'));
  const path = join(folder, 'square-finder.onnx');
  await writeFile(path, constantModel([1, 5, 1], [32, 32, 32, 24, 0.75], { names: '["square"]' }));
  return { path, remove: () => rm(folder, { recursive: true, force: true }) };
}

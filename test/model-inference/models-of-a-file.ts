// One model file that the tests of a test file write anew, each over the one before: a thread takes
// longer to start than a model to load.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import {
  createModels,
  type Labeller,
  type Models,
} from '../../src/model-inference/detection-models.ts';
import { openBlobFolder } from '../../src/storage/blob-store.ts';

/** Of all tests of the calling file, which read it while they run. */
export interface ModelsOfAFile {
  /** The folder `cells.onnx` is in. */
  readonly folder: string;
  readonly path: string;
  readonly models: Models;
  /** Writes the file, and loads it. */
  labellerOf(file: Uint8Array): Promise<Labeller>;
}

export function modelsOfAFile(): ModelsOfAFile {
  let folder: string;
  let models: Models;
  const path = () => join(folder, 'cells.onnx');
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fovea-models-'));
    const blobs = await openBlobFolder(join(folder, 'blobs'), systemClock);
    models = createModels({ model: path(), blobs, findWeights: async () => undefined });
  });
  afterAll(async () => {
    await models.close();
    await rm(folder, { recursive: true });
  });
  return {
    get folder() {
      return folder;
    },
    get path() {
      return path();
    },
    get models() {
      return models;
    },
    labellerOf: async (file) => {
      await writeFile(path(), file);
      return models.resolve('w', 'local');
    },
  };
}

// How a model says how its classes are called, and what is told of names that cannot be used.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { createModels, type Models } from '../../src/model-inference/detection-models.ts';
import { openBlobFolder } from '../../src/storage/blob-store.ts';
import { colourFinder } from '../fixtures/onnx-models.ts';

let folder: string;
let path: string;
let models: Models;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fovea-names-'));
  path = join(folder, 'cells.onnx');
  const blobs = await openBlobFolder(join(folder, 'blobs'), systemClock);
  models = createModels({ model: path, blobs, findWeights: async () => undefined });
});

afterAll(async () => {
  await models.close();
  await rm(folder, { recursive: true });
});

it.each([
  ['no names', colourFinder({}), /^model: does not say how its classes are called$/],
  [
    'names whose numbers have a gap',
    colourFinder({ names: "{0: 'red', 2: 'blue'}" }),
    /^model: has names of classes that have the number 2 where 1 belongs$/,
  ],
  [
    'one name for two classes',
    colourFinder({ names: "['red', 'red']" }),
    /^model: has names of classes that have "red" twice, as 0 and 1$/,
  ],
  [
    'names that are none',
    colourFinder({ names: 'red, blue' }),
    /^model: has names of classes that are no list or dictionary of Python, and no JSON$/,
  ],
])('%s are refused', async (_, file, words) => {
  await writeFile(path, file);
  const refused = { code: 'invalid_input', message: expect.stringMatching(words) };
  await expect(models.inspect(path)).rejects.toMatchObject(refused);
});

it('tells what is wrong with the names in a file beside the model', async () => {
  await writeFile(path, colourFinder({}));
  await writeFile(join(folder, 'cells.names'), 'red\nblue\nred\n');
  await expect(models.inspect(path)).rejects.toMatchObject({
    message: 'model: has names of classes that have "red" twice, as 0 and 2',
  });
  await rm(join(folder, 'cells.names'));
});

it('may be written as JSON, with quotes of both kinds, or beside it', async () => {
  const namesOf = async (names: string | undefined, beside?: string) => {
    await writeFile(path, colourFinder(names === undefined ? {} : { names }));
    if (beside !== undefined) await writeFile(join(folder, 'cells.names'), beside);
    return (await models.resolve('w', 'local')).classes;
  };
  expect(await namesOf('["a", "b"]')).toEqual(['a', 'b']);
  expect(await namesOf('{"0": "a", "1": "b"}')).toEqual(['a', 'b']);
  expect(await namesOf(`{0: "dog's", 1: 'a \\'b\\''}`)).toEqual(["dog's", "a 'b'"]);
  expect(await namesOf(undefined, 'red\nblue\n')).toEqual(['red', 'blue']);
  // Other names beside the same file are other classes.
  expect(await namesOf(undefined, 'rouge\nbleu\n')).toEqual(['rouge', 'bleu']);
  // Those in the file win.
  expect(await namesOf("['x', 'y']", 'red\nblue\n')).toEqual(['x', 'y']);
});

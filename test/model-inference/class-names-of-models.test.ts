// How a model says how its classes are called, and what is told of names that cannot be used.

import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { colourFinder } from '../fixtures/onnx-models.ts';
import { modelsOfAFile } from './models-of-a-file.ts';

const shared = modelsOfAFile();

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
  await writeFile(shared.path, file);
  const refused = { code: 'invalid_input', message: expect.stringMatching(words) };
  await expect(shared.models.inspect(shared.path)).rejects.toMatchObject(refused);
});

it('tells what is wrong with the names in a file beside the model', async () => {
  await writeFile(shared.path, colourFinder({}));
  await writeFile(join(shared.folder, 'cells.names'), 'red\nblue\nred\n');
  await expect(shared.models.inspect(shared.path)).rejects.toMatchObject({
    message: 'model: has names of classes that have "red" twice, as 0 and 2',
  });
  await rm(join(shared.folder, 'cells.names'));
});

it('may be written as JSON, with quotes of both kinds, or beside it', async () => {
  const namesOf = async (names: string | undefined, beside?: string) => {
    await writeFile(shared.path, colourFinder(names === undefined ? {} : { names }));
    if (beside !== undefined) await writeFile(join(shared.folder, 'cells.names'), beside);
    return (await shared.models.resolve('w', 'local')).classes;
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

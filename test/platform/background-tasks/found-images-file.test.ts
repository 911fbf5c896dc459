// What a search found is read from its files as it was kept, as often as an export asks.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Annotation } from '../../../src/annotations/annotation.ts';
import type { SplitName } from '../../../src/contract/fields.ts';
import { FoundImagesFile } from '../../../src/platform/background-tasks/found-images-file.ts';
import type { FoundImage } from '../../../src/platform/store/search.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

function found(id: number, split: SplitName, label: string): FoundImage {
  const annotation: Annotation = {
    kind: 'detection',
    boxes: [{ label, x: 1, y: 2, width: 3.5, height: 4 }],
  };
  return {
    ordinal: id,
    id: `image-${id}`,
    projectId: 'p',
    project: 'cells',
    name: `${label} ${id}.png`,
    hash: `${id}`.repeat(8),
    format: 'png',
    width: 40,
    height: 30,
    split,
    tags: [],
    labels: [label],
    metadata: {},
    annotation: id % 2 === 0 ? undefined : annotation,
    created: id * 10,
  };
}

async function namesOf(file: FoundImagesFile, split?: SplitName): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const { name } of file.read(split)) names.push(name);
  return names;
}

const odd = 'a\u2028b\u2029c\nd\re"\\';

test('all of them come split by split, in their order, with what they show', async () => {
  const file = new FoundImagesFile(join(await temporaryFolder(), 'found'));
  await file.add([found(1, 'valid', odd), found(2, 'train', 'x'), found(3, 'valid', 'y')]);
  await file.add([]);
  await file.add([found(4, 'train', 'x')]);
  const valid = [`${odd} 1.png`, 'y 3.png'];
  for (const _pass of [1, 2]) {
    expect(await namesOf(file)).toEqual(['x 2.png', 'x 4.png', ...valid]);
    expect(await namesOf(file, 'valid')).toEqual(valid);
    expect(await namesOf(file, 'test')).toEqual([]);
  }
  for await (const image of file.read('valid')) {
    const { name, hash, width, height, split, annotation } = image.name.startsWith('y')
      ? found(3, 'valid', 'y')
      : found(1, 'valid', odd);
    expect(image).toEqual({ name, hash, width, height, split, annotation });
  }
  expect([file.count, file.newest, file.classes]).toEqual([4, 40, [odd, 'x', 'y']]);
});

test('nothing found is nothing read', async () => {
  const file = new FoundImagesFile(join(await temporaryFolder(), 'found'));
  await file.add([]);
  expect([file.count, file.newest, file.classes, await namesOf(file)]).toEqual([0, 0, [], []]);
});

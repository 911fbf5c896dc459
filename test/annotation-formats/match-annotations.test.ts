// Which annotation file belongs to which image of a dataset, by name and place.

import { expect, it } from 'vitest';
import { matchAnnotations } from '../../src/annotation-formats/match-annotations.ts';

/** `image: file` of what was matched, then what was not, and why. */
function matched(images: readonly string[], own: readonly string[]) {
  const at = (path: string) => ({ path });
  const { sources, unclear, unused } = matchAnnotations({
    images: images.map(at),
    own: own.map(at),
    documents: [],
    findSplit: () => undefined,
    projectType: 'object-detection',
  });
  return {
    pairs: [...sources].map(([image, { entry }]) => `${image}: ${entry.path}`),
    unclear: [
      ...unclear,
      ...unused.filter(({ isUnclear }) => isUnclear).map(({ entry }) => entry.path),
    ],
    beaten: unused.filter(({ isBeaten }) => isBeaten).map(({ entry }) => entry.path),
  };
}

it.each([
  ['one file beside two images of its name', ['a.jpg', 'a.png'], ['a.txt'], [], ['a.txt'], []],
  ['a file that names one of two', ['a.jpg', 'a.png'], ['a.png.txt'], ['a.png: a.png.txt'], [], []],
  [
    'a file for each of two',
    ['a.jpg', 'b.png'],
    ['a.txt', 'b.txt'],
    ['a.jpg: a.txt', 'b.png: b.txt'],
    [],
    [],
  ],
  ['accents in two forms', ['e\u0301.jpg'], ['\u00e9.xml'], ['e\u0301.jpg: \u00e9.xml'], [], []],
  ['capital letters', ['A.JPG'], ['a.xml'], ['A.JPG: a.xml'], [], []],
  [
    'the very name before capital letters',
    ['a.jpg'],
    ['A.xml', 'a.xml'],
    ['a.jpg: a.xml'],
    [],
    ['A.xml'],
  ],
  [
    'names that differ in capital letters',
    ['a.jpg', 'A.jpg'],
    ['a.txt', 'A.txt'],
    ['a.jpg: a.txt', 'A.jpg: A.txt'],
    [],
    [],
  ],
  ['VOC before YOLO', ['a.jpg'], ['a.txt', 'a.xml'], ['a.jpg: a.xml'], [], ['a.txt']],
])('%s', (_what, images, own, pairs, unclear, beaten) => {
  expect(matched(images, own)).toEqual({ pairs, unclear, beaten });
});

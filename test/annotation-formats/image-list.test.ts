// The image that a line of a list names.

import { expect, test } from 'vitest';
import { imageNameIn } from '../../src/annotation-formats/image-list.ts';

test.each([
  ['cell-1', 'cell-1'],
  ['\uFEFFcell-1.jpg', 'cell-1.jpg'],
  ['cell-1  1', 'cell-1'],
  ['cell-1 -1 ', 'cell-1'],
  ['cell-1\t0', 'cell-1'],
  ['cell 1.jpg', 'cell 1.jpg'],
  ['cell-1.jpg 7', 'cell-1.jpg 7'],
  ['data/obj/cell-1.jpg', 'cell-1.jpg'],
  ['data\\obj\\cell-1.jpg', 'cell-1.jpg'],
  ['  ', ''],
])('%j names %j', (line, name) => {
  expect(imageNameIn(line)).toBe(name);
});

test('a line of many blanks takes no longer than others', () => {
  // Tried from each blank on, it would take hours.
  expect(imageNameIn(`a${' '.repeat(4_000_000)}b`)).toHaveLength(4_000_002);
});

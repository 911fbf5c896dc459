// YOLO TXT: rows of boxes and outlines, with and without a labelmap.

import { describe, expect, test } from 'vitest';
import type { ProjectType } from '../../src/annotations/annotation.ts';
import { parse } from './sample-annotations.ts';

describe('YOLO TXT', () => {
  const labelmap = { '0': 'cat', '1': 'dog' };

  test('reads shares of the image with a labelmap', () => {
    const text = '0 0.09375 0.09375 0.15625 0.104166667\r\n\r\n1 0.5 0.5 0 0\n';
    expect(parse(text, { labelmap }).annotation).toEqual({
      kind: 'detection',
      boxes: [
        { label: 'cat', x: 60, y: 45, width: 100, height: 50 },
        { label: 'dog', x: 320, y: 240, width: 0, height: 0 },
      ],
    });
  });

  test('reads names in place of ids', () => {
    const boxes = [{ label: 'cat', x: 320, y: 240, width: 64, height: 48 }];
    expect(parse('cat 0.5 0.5 0.1 0.1').annotation).toEqual({ kind: 'detection', boxes });
    expect(parse('cat 0.5 0.5 0.1 0.1', { labelmap }).annotation).toEqual({
      kind: 'detection',
      boxes,
    });
  });

  test('reads outlines', () => {
    expect(parse('1 0.1 0.1 0.2 0.1 0.2 0.3', { labelmap }).annotation).toEqual({
      kind: 'detection',
      boxes: [
        {
          label: 'dog',
          x: 96,
          y: 96,
          width: 64,
          height: 96,
          points: [
            [64, 48],
            [128, 48],
            [128, 144],
          ],
        },
      ],
    });
  });

  test('an empty .txt file has nothing to label; empty text without a name is refused', () => {
    expect(parse('\n', { fileName: 'cell.txt' }).annotation).toEqual({
      kind: 'detection',
      boxes: [],
    });
    expect(() => parse('')).toThrow('is empty');
  });

  test.each([
    [
      'an unknown id',
      '7 0.5 0.5 0.1 0.1',
      /line 1: class id 7 is not in the labelmap; known ids: "0", "1"/,
    ],
    ['a name of Object', 'constructor 0.5 0.5 0.1 0.1', /"constructor" is not in the labelmap/],
    [
      'an unknown name',
      'cow 0.5 0.5 0.1 0.1',
      /class "cow" is not in the labelmap; known: "cat", "dog"/,
    ],
    ['an id with a point', '0.0 0.5 0.5 0.1 0.1', /the class id must be a whole number/],
    ['a negative id', '-1 0.5 0.5 0.1 0.1', /the class id must be a whole number/],
    ['too few values', '0 0.5 0.5 0.1', /line 1: has 3 values after the class/],
    ['a confidence', '0 0.5 0.5 0.1 0.1 0.9', /line 1: has 5 values/],
    ['text for a number', '0 0.5 x 0.1 0.1', /line 1, value 2: must be a number/],
    [
      'pixels',
      '\n0 320 240 64 48',
      /line 2, value 1: must be a share of the image from 0 to 1, but is 320/,
    ],
    ['a negative size', '0 0.5 0.5 -0.1 0.1', /line 1: width and height must not be negative/],
  ])('refuses %s', (_case, text, message) => {
    expect(() => parse(text, { labelmap })).toThrow(message);
  });

  test('refuses ids without a labelmap', () => {
    expect(() => parse('0 0.5 0.5 0.1 0.1')).toThrow('class id "0" needs a labelmap');
  });

  test('refuses keypoint rows, which look like outlines', () => {
    const projectType: ProjectType = 'keypoint-detection';
    expect(() => parse('0 0.5 0.5 0.1 0.1 0.5 0.5 2', { labelmap, projectType })).toThrow(
      'use COCO JSON',
    );
  });
});

// CreateML JSON: the entry of one image.

import { describe, expect, test } from 'vitest';
import { cat, parse } from './sample-annotations.ts';

describe('CreateML JSON', () => {
  const entry = {
    image: 'cell.jpg',
    annotations: [{ label: 'cat', coordinates: { x: 60, y: 45, width: 100, height: 50 } }],
  };

  test('reads centres in pixels', () => {
    const text = JSON.stringify([{ image: 'other.jpg', annotations: [] }, entry]);
    expect(parse(text).annotation).toEqual({ kind: 'detection', boxes: [cat] });
  });

  test.each([
    [
      'another image',
      [{ ...entry, image: 'other.jpg' }],
      /no entry for image "cell.jpg"; it is about "other.jpg"/,
    ],
    ['no image', [], /it is about no image/],
    ['no label', [{ ...entry, annotations: [{ coordinates: {} }] }], /\[0\].annotations\[0\]/],
    [
      'a missing number',
      [{ ...entry, annotations: [{ label: 'a', coordinates: { x: 1, y: 1, width: 1 } }] }],
      /\[0\].annotations\[0\].coordinates.height: must be a number/,
    ],
  ])('refuses %s', (_case, document, message) => {
    expect(() => parse(JSON.stringify(document))).toThrow(message);
  });
});

// COCO JSON: boxes, outlines and keypoints of one image out of a whole dataset.

import { describe, expect, test } from 'vitest';
import { cat, coco, parse } from './sample-annotations.ts';

describe('COCO JSON', () => {
  test('reads the boxes of the image from a whole dataset', () => {
    const text = coco([{}, { image_id: 8, bbox: [1, 1, 1, 1] }]);
    expect(parse(text)).toEqual({
      annotation: { kind: 'detection', boxes: [cat] },
      warnings: [],
    });
  });

  test('an image without annotations has nothing to label', () => {
    expect(parse(coco([])).annotation).toEqual({ kind: 'detection', boxes: [] });
  });

  test('reads an outline and keypoints', () => {
    const text = coco([
      { segmentation: [[1, 2, 5, 2, 5, 8]] },
      { bbox: undefined, segmentation: [[1, 2, 5, 2, 5, 8]] },
      { category_id: 2, keypoints: [1, 2, 2, 3, 4, 1] },
      { segmentation: [] },
    ]);
    const points = [
      [1, 2],
      [5, 2],
      [5, 8],
    ];
    expect(parse(text).annotation).toEqual({
      kind: 'detection',
      boxes: [
        { ...cat, points },
        { label: 'cat', x: 3, y: 5, width: 4, height: 6, points },
        {
          ...cat,
          label: 'hand',
          keypoints: [
            { label: 'wrist', x: 1, y: 2, visibility: 2 },
            { label: 'thumb', x: 3, y: 4, visibility: 1 },
          ],
        },
        cat,
      ],
    });
  });

  test('keeps the box of a shape that it cannot keep, and says so', () => {
    const small = [0, 0, 1, 0, 1, 1];
    const large = [0, 0, 9, 0, 9, 9];
    const { annotation, warnings } = parse(
      coco([
        { segmentation: { counts: 'abc', size: [480, 640] } },
        { segmentation: [small, large] },
        { segmentation: [[0, 0, 1, 1]] },
        { iscrowd: 1 },
        { segmentation: { counts: [1], size: [480, 640] }, iscrowd: 1 },
      ]),
    );
    expect(annotation.kind === 'detection' && annotation.boxes).toEqual([
      cat,
      {
        ...cat,
        points: [
          [0, 0],
          [9, 0],
          [9, 9],
        ],
      },
      ...[cat, cat, cat],
    ]);
    expect(warnings.map(({ message }) => message)).toEqual([
      'cat box 1: its mask is run-length encoded; only the box was kept',
      'cat box 2: its outline has 2 parts; only the largest was kept',
      'cat box 3: its outline has fewer than three points; only the box was kept',
      'cat box 4: it is a crowd (iscrowd), many objects; it was kept as one',
      'cat box 5: its mask is run-length encoded; only the box was kept; ' +
        'it is a crowd (iscrowd), many objects; it was kept as one',
    ]);
  });

  test('an exact path goes before a base name', () => {
    const images = [
      { id: 1, file_name: 'a/cell.jpg' },
      { id: 7, file_name: 'cell.jpg' },
    ];
    expect(parse(coco([{}], { images })).annotation).toEqual({ kind: 'detection', boxes: [cat] });
  });

  test.each([
    [
      'no entry for the image',
      coco([], { images: [{ id: 1, file_name: 'other.jpg' }] }),
      /has no entry for image "cell.jpg"; it is about "other.jpg"/,
    ],
    ['no entries', coco([], { images: [] }), /it is about no image/],
    [
      'two entries for the image',
      coco([], {
        images: [
          { id: 1, file_name: 'a/cell.jpg' },
          { id: 2, file_name: 'b/cell.jpg' },
        ],
      }),
      /several entries for image "cell.jpg": "a\/cell.jpg", "b\/cell.jpg"/,
    ],
    [
      'an image whose id another one has',
      coco([], {
        images: [
          { id: 1, file_name: 'cell.jpg' },
          { id: 1, file_name: 'other.jpg' },
        ],
      }),
      /"cell.jpg", "other.jpg" have one id: whose boxes/,
    ],
    [
      'a category whose id another one has',
      coco([], {
        categories: [
          { id: 1, name: 'cat' },
          { id: 1, name: 'dog' },
        ],
      }),
      /categories\[1\].id: "1" is another one's too/,
    ],
    [
      'an unknown category',
      coco([{ category_id: 9 }]),
      /annotations\[0\].category_id: "9" is not in categories; known ids: "1", "2"/,
    ],
    [
      'a negative size',
      coco([{ bbox: [1, 2, -3, 4] }]),
      /annotations\[0\].bbox\[2\]: must not be negative, but is -3/,
    ],
    ['a short bbox', coco([{ bbox: [1, 2, 3] }]), /annotations\[0\].bbox: must be \[x, y/],
    [
      'text in a bbox',
      coco([{ bbox: [1, '2', 3, 4] }]),
      /annotations\[0\].bbox\[1\]: must be a number/,
    ],
    ['null in a bbox', coco([{ bbox: [1, null, 3, 4] }]), /bbox\[1\]: must be a number/],
    ['no bbox', coco([{ bbox: undefined }]), /annotations\[0\].bbox: must be an array/],
    [
      'half a point',
      coco([{ segmentation: [[1, 2, 3, 4, 5, 6, 7]] }]),
      /segmentation\[0\]: must be pairs/,
    ],
    ['half a keypoint', coco([{ keypoints: [1, 2] }]), /keypoints: must be groups/],
    [
      'an unknown visibility',
      coco([{ keypoints: [1, 2, 3] }]),
      /keypoints\[2\]: must be 0, 1 or 2/,
    ],
    ['a nameless category', coco([], { categories: [{ id: 1 }] }), /categories\[0\].name/],
    ['no categories', coco([], { categories: 1 }), /categories: must be an array/],
    ['no annotations', coco([], { annotations: null }), /annotations: must be an array/],
    ['a nameless image', coco([], { images: [{ id: 1 }] }), /images\[0\].file_name/],
    ['other JSON', '{"shapes": []}', /is JSON, but not COCO/],
    ['broken JSON', '{\n"images": [\n1 2]}', /line 3, column 3: is not valid JSON/],
    ['JSON that was cut off', '{"images": [', /ends too early/],
  ])('refuses %s', (_case, text, message) => {
    expect(() => parse(text)).toThrow(message);
  });

  test('never quotes the file in the error of broken JSON', () => {
    expect(() => parse('{"images": ignore all rules}')).toThrow(
      /^annotationFile: is not valid JSON$/,
    );
  });
});

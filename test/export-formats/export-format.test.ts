// Which formats there are, and which hold what a project labels.

import { describe, expect, test } from 'vitest';
import { checkExportFormat } from '../../src/export-formats/export-format.ts';

const boxes = [
  'coco',
  'coco-segmentation',
  'voc',
  'yolov5pytorch',
  'mt-yolov6',
  'yolov7pytorch',
  'yolov8',
  'yolov9',
  'yolov11',
  'yolov12',
  'yolov8-obb',
  'darknet',
  'createml',
  'tfrecord',
  'multiclass',
  'folder',
  'png-mask-semantic',
  'jsonl',
  'clip',
];
const able = {
  'object-detection': boxes,
  'instance-segmentation': boxes,
  'semantic-segmentation': boxes,
  'keypoint-detection': ['coco', 'yolov8', 'yolov11', 'yolov12'],
  'single-label-classification': ['multiclass', 'folder', 'jsonl', 'clip'],
  'multi-label-classification': ['multiclass', 'jsonl'],
} as const;

const types = [
  'object-detection',
  'instance-segmentation',
  'semantic-segmentation',
  'keypoint-detection',
  'single-label-classification',
  'multi-label-classification',
] as const;

describe.each(types)('a project of %s', (projectType) => {
  test.each(boxes)('is exported as %s, or refused with those that can', (format) => {
    const formats: readonly string[] = able[projectType];
    if (formats.includes(format)) {
      expect(checkExportFormat(format, projectType).name).toBe(format);
      return;
    }
    const quoted = formats.map((name) => `"${name}"`);
    const message = `format: cannot hold ${projectType}; use ${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`;
    expect(() => checkExportFormat(format, projectType)).toThrow(
      expect.objectContaining({ code: 'invalid_input', message }),
    );
  });
});

test.each([
  ['yolov5', 'yolov5pytorch'],
  ['yolov7', 'yolov7pytorch'],
  ['my-yolov6', 'mt-yolov6'],
])('%s is another name for %s', (alias, name) => {
  expect(checkExportFormat(alias, 'object-detection').name).toBe(name);
});

const list = 'Use "multiclass", "folder", "jsonl" or "clip"';

test.each([
  ['COCO', `did you mean "coco"? ${list}`],
  ['yolo8', `did you mean "yolov8"? ${list}`],
  ['create-ml', `did you mean "createml"? ${list}`],
  ['retinanet', list],
  ['', list],
])('"%s" is refused with the formats that there are', (format, meant) => {
  expect(() => checkExportFormat(format, 'single-label-classification')).toThrow(
    expect.objectContaining({
      code: 'invalid_input',
      message: `format: is not an export format here; ${meant}`,
    }),
  );
});

test('text-image-pairs have no export', () => {
  expect(() => checkExportFormat('jsonl', 'text-image-pairs')).toThrow(
    expect.objectContaining({
      code: 'invalid_input',
      message: 'format: no format holds text-image-pairs',
    }),
  );
});

// Whole exports read by Python as notebooks and trainers read them: by folders, names and paths.
// Runs where FOVEA_PYTHON, or the system's python3, has Pillow, PyYAML and lxml. Elsewhere it says
// that it did not run.

import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import type { ProjectType } from '../../src/annotations/annotation.ts';
import type { ExportImage } from '../../src/export-formats/export-dataset.ts';
import { checkExportFormat } from '../../src/export-formats/export-format.ts';
import { writeExport } from '../../src/export-formats/write-zip.ts';
import { unzip } from '../fixtures/read-zip.ts';
import { boxOf, dataset, image } from './sample-dataset.ts';

const python = process.env.FOVEA_PYTHON ?? '/usr/bin/python3';
const isThere = spawnSync(python, ['-c', 'import PIL, yaml, lxml']).status === 0;
if (!isThere)
  process.stderr.write(`DID NOT RUN: layouts of exports; ${python} has no PIL, yaml, lxml.\n`);

const classes = ['a, "b"', 'plain', '漢字'];
const splits = ['train', 'train', 'train', 'valid', 'valid', 'test'] as const;
const size = { width: 40, height: 30 };
const keypoints = [
  { label: 'tip', x: 10, y: 8, visibility: 2 } as const,
  { label: 'end', x: 12, y: 9, visibility: 0 } as const,
];

/** One image of each split has no boxes; the others have one more from image to image. */
function imagesWith(png: Buffer): readonly ExportImage[] {
  return splits.map((split, index) =>
    image({
      ...size,
      split,
      fileName: `scene ${index}.png`,
      boxes: classes
        .slice(0, index % 4)
        .map((label, at) => ({ ...boxOf(10.25 + at, 8 + index, 6.5, 4, label), keypoints })),
      open: async () => Readable.from([png]),
    }),
  );
}

const ofBoxes = [
  'yolov5pytorch',
  'yolov7pytorch',
  'mt-yolov6',
  'yolov8',
  'yolov9',
  'yolov11',
  'yolov12',
  'yolov8-obb',
  'darknet',
  'coco',
  'coco-segmentation',
  'voc',
  'createml',
];

describe.skipIf(!isThere)('Python', () => {
  test('finds images and labels where its readers look for them', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'fovea-layouts-'));
    try {
      const png = await sharp({ create: { ...size, channels: 3, background: '#804020' } })
        .png()
        .toBuffer();
      const images = imagesWith(png);
      const labelled = images.map((one, index) => {
        const labels = [['plain', '漢字'][index % 2] ?? ''];
        return { ...one, boxes: [], labels };
      });
      const write = async (
        format: string,
        type: ProjectType,
        given: readonly ExportImage[],
        name = format,
      ) => {
        const path = join(folder, `${name}.zip`);
        const made = { ...dataset(given, type), classes };
        await writeExport(checkExportFormat(format, type), made, path);
        await unzip(path, join(folder, name));
      };
      for (const format of ofBoxes) await write(format, 'object-detection', images);
      await write('coco', 'keypoint-detection', images, 'coco-keypoints');
      for (const format of ['folder', 'clip', 'multiclass', 'jsonl']) {
        await write(format, 'single-label-classification', labelled);
      }
      const expected = {
        classes,
        images,
        labelled: labelled.map(({ split, fileName, labels: [label] }) => [
          split,
          { fileName, label },
        ]),
      };
      await writeFile(join(folder, 'expected.json'), JSON.stringify(expected));
      const script = join(import.meta.dirname, 'check-layouts.py');
      const { stdout, stderr } = spawnSync(python, [script, folder], { encoding: 'utf8' });
      expect(stderr).toBe('');
      expect(stdout.split('\n')).toEqual([
        'data.yaml of 8 formats',
        'darknet',
        'coco 7',
        'coco-segmentation 7',
        'coco-keypoints 7',
        'voc, by its schema',
        'createml',
        'folder, clip, multiclass, jsonl',
        'exports: 18',
        '',
      ]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

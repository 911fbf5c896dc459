// Exports read back by OpenCV and Python's own readers. Runs where FOVEA_PYTHON, or the system's
// python3, has numpy and cv2. Elsewhere it says that it did not run.

import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { boxAround } from '../../src/annotations/box-geometry.ts';
import { checkExportFormat } from '../../src/export-formats/export-format.ts';
import { writeExport } from '../../src/export-formats/write-zip.ts';
import type { Point } from '../../src/imaging/box.ts';
import { unzip } from '../fixtures/read-zip.ts';
import { dataset, image } from './sample-dataset.ts';

const python = process.env.FOVEA_PYTHON ?? '/usr/bin/python3';
const isThere = spawnSync(python, ['-c', 'import cv2, numpy']).status === 0;
if (!isThere)
  process.stderr.write(`DID NOT RUN: exports in Python; ${python} has no cv2, numpy.\n`);

const size = { width: 40, height: 30 };
const classes = ['=1+1', 'a, "b"', 'plain', '漢字'];

/** Stars around a point: simple outlines, some of them over the edge. */
function star(index: number): readonly Point[] {
  return Array.from({ length: 9 }, (_, corner) => {
    const radius = 3 + ((index * 7 + corner * 5) % 13);
    const angle = index * 0.37 + (corner * 2 * Math.PI) / 9;
    return [
      6 + ((index * 11) % 30) + radius * Math.cos(angle),
      5 + ((index * 5) % 20) + radius * Math.sin(angle),
    ];
  });
}

describe.skipIf(!isThere)('Python', () => {
  test('reads masks, turned boxes, records and texts as they were labelled', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'fovea-python-'));
    try {
      const png = await sharp({ create: { ...size, channels: 3, background: '#804020' } })
        .png()
        .toBuffer();
      const images = Array.from({ length: 24 }, (_, index) =>
        image({
          ...size,
          fileName: `image ${index}.png`,
          boxes: [boxAround(classes[index % 4] ?? '', star(index))],
          open: async () => Readable.from([png]),
        }),
      );
      const stems = images.map(({ fileName, boxes }) => ({ stem: fileName.slice(0, -4), boxes }));
      await writeFile(
        join(folder, 'expected.json'),
        JSON.stringify({ ...size, classes, images: stems }),
      );
      for (const name of [
        'png-mask-semantic',
        'yolov8-obb',
        'tfrecord',
        'coco',
        'voc',
        'multiclass',
      ]) {
        const format = checkExportFormat(name, 'instance-segmentation');
        const path = join(folder, `${name}.zip`);
        await writeExport(format, { ...dataset(images), classes: [] }, path);
        await unzip(path, join(folder, name));
      }
      const script = join(import.meta.dirname, 'check.py');
      const { stdout, stderr } = spawnSync(python, [script, folder], { encoding: 'utf8' });
      expect(stderr).toBe('');
      expect(stdout).toMatch(/^mask pixels like cv2\.pointPolygonTest: 28[67]\d\d$/m);
      expect(stdout).toContain('turned boxes like cv2.minAreaRect: 24\n');
      expect(stdout).toContain('records: 24\n');
      expect(stdout).toContain('boxes in COCO, VOC and CSV: 24\n');
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

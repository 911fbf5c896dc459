// Labels of a Pascal VOC file, as they are judged.

import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parsePascalVoc } from '../../src/annotation-formats/pascal-voc.ts';
import type { GroundTruth } from '../../src/evaluation/evaluated-image.ts';

/** Of an image whose size does not matter. */
const sidesMax = 1e6;

/**
 * `path`: named as its image is. Boxes without area are no objects. Names of classes that are not
 * known yet are added.
 */
export function readVocLabels(path: string, classes: string[]): readonly GroundTruth[] {
  const { annotation } = parsePascalVoc({
    text: readFileSync(path, 'utf8'),
    fileName: undefined,
    image: { name: basename(path, '.xml'), width: sidesMax, height: sidesMax },
    labelmap: undefined,
    projectType: 'object-detection',
  });
  const boxes = annotation.kind === 'detection' ? annotation.boxes : [];
  return boxes
    .filter(({ width, height }) => width > 0 && height > 0)
    .map(({ label, x, y, width, height }) => {
      if (!classes.includes(label)) classes.push(label);
      const [left, top] = [x - width / 2, y - height / 2];
      return { classIndex: classes.indexOf(label), left, top, width, height };
    });
}

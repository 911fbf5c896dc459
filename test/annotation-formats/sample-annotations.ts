// What the tests of annotation files have in common: one image, and files about it.

import type { AnnotationFile, Parsed } from '../../src/annotation-formats/annotation-file.ts';
import { parseAnnotation } from '../../src/annotation-formats/parse-annotation.ts';

export const image = { name: 'cell.jpg', width: 640, height: 480 };

/** The box that most files here hold: its corner is at 10, 20. */
export const cat = { label: 'cat', x: 60, y: 45, width: 100, height: 50 };

/** The annotation of a file about `image`, in an object detection project unless told. */
export function parse(text: string, given: Partial<AnnotationFile> = {}): Parsed {
  return parseAnnotation({
    text,
    fileName: undefined,
    image,
    labelmap: undefined,
    projectType: 'object-detection',
    ...given,
  });
}

/** Pascal VOC with these `<object>` elements. */
export function voc(objects: string, head = '<filename>cell.jpg</filename>'): string {
  return `<annotation>\n${head}\n${objects}\n</annotation>`;
}

/** COCO with these members in place of those of `cat`; `more` replaces whole lists. */
export function coco(annotations: readonly object[], more: object = {}): string {
  return JSON.stringify({
    images: [
      { id: 7, file_name: 'cell.jpg', width: 640, height: 480 },
      { id: 8, file_name: 'other.jpg', width: 640, height: 480 },
    ],
    categories: [
      { id: 1, name: 'cat' },
      { id: 2, name: 'hand', keypoints: ['wrist', 'thumb'] },
    ],
    annotations: annotations.map((annotation) => ({
      image_id: 7,
      category_id: 1,
      bbox: [10, 20, 100, 50],
      ...annotation,
    })),
    ...more,
  });
}

// TensorFlow: `train/cells.tfrecord` with images and boxes, and `train/cells_label_map.pbtxt` with
// the classes. `cells` is what the project labels.

import { buffer } from 'node:stream/consumers';
import { recogniseImage } from '../imaging/image-format.ts';
import type { ExportFile, ExportImage, SurveyedDataset } from './export-dataset.ts';
import { classIndex, tidyEdges } from './export-dataset.ts';
import { safeName } from './export-names.ts';
import { encodeExample, frameRecord, type Pieces } from './tfrecord-encoding.ts';

/** Class ids start at 1: TensorFlow's detectors keep 0 for the background. */
export function* tfrecordFiles(dataset: SurveyedDataset): Iterable<ExportFile> {
  const { classes } = dataset;
  const indexOf = classIndex(classes);
  const name = safeName(dataset.info.annotation) || 'dataset';
  for (const split of dataset.splits.keys()) {
    yield { path: `${split}/${name}_label_map.pbtxt`, content: () => classes.map(labelMapItem) };
    yield {
      path: `${split}/${name}.tfrecord`,
      content: () => records(dataset.images(split), indexOf),
      isCompressed: true,
    };
  }
}

/** JSON strings are strings of the text format of protocol buffers. */
function labelMapItem(name: string, index: number): string {
  const text = JSON.stringify(name);
  return `item {\n  name: ${text}\n  id: ${index + 1}\n  display_name: ${text}\n}\n`;
}

/** One image is in memory at a time. */
async function* records(
  images: AsyncIterable<ExportImage>,
  indexOf: (label: string) => number,
): AsyncIterable<Uint8Array> {
  for await (const image of images) {
    const bytes = await buffer(await image.open());
    yield* frameRecord(example(image, bytes, indexOf));
  }
}

/** The features that TensorFlow's Object Detection API reads. Edges are shares of the image. */
function example(
  { fileName, width, height, boxes }: ExportImage,
  bytes: Uint8Array,
  indexOf: (label: string) => number,
): Pieces {
  const edges = boxes.map(tidyEdges);
  return encodeExample({
    'image/encoded': { bytes: [bytes] },
    'image/filename': { bytes: [fileName] },
    'image/format': { bytes: [formatOf(bytes)] },
    'image/height': { integers: [height] },
    'image/width': { integers: [width] },
    'image/object/bbox/xmin': { floats: edges.map(({ left }) => left / width) },
    'image/object/bbox/xmax': { floats: edges.map(({ right }) => right / width) },
    'image/object/bbox/ymin': { floats: edges.map(({ top }) => top / height) },
    'image/object/bbox/ymax': { floats: edges.map(({ bottom }) => bottom / height) },
    'image/object/class/text': { bytes: boxes.map(({ label }) => label) },
    'image/object/class/label': { integers: boxes.map(({ label }) => indexOf(label) + 1) },
  });
}

function formatOf(bytes: Uint8Array): string {
  const found = recogniseImage(bytes);
  return 'format' in found ? found.format : 'unknown';
}

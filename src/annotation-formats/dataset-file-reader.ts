// Annotation files about many images: COCO and CreateML JSON, read through once.

import type { AnnotatedImage, Parsed } from './annotation-file.ts';
import { type DatasetPart, indexDataset } from './dataset-file-index.ts';
import { parsePart } from './parse-annotation.ts';
import { DatasetProblem } from './streaming-json.ts';

export interface Document {
  /** Of the images that it is about. */
  readonly names: readonly string[];
  /** The annotation under one of these names. Throws where it is wrong, or there are several. */
  parse(name: string, image: AnnotatedImage): Parsed;
}

/** Reads COCO or CreateML from the disk. Throws DatasetProblem where it is neither, or broken. */
export function openDocument(file: string): Document {
  const index = indexDataset(file);
  if (index === undefined) throw new DatasetProblem('neither COCO nor CreateML JSON');
  const places = Map.groupBy(index.names.keys(), (place) => index.names[place] ?? '');
  return {
    names: index.names,
    parse: (name, image) => {
      const [place, ...others] = places.get(name) ?? [];
      if (place === undefined || others.length > 0) {
        const count = place === undefined ? 0 : others.length + 1;
        throw new DatasetProblem(`has ${count} entries for the image`);
      }
      const part: DatasetPart = index.partOf(place);
      return parsePart(part, image);
    },
  };
}

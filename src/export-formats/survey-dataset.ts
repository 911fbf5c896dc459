// The first pass over the images of an export: it counts them, and names them. The passes after it
// read them again, so that never all of them are in memory.

import { warningsOf } from '../annotations/box-warnings.ts';
import { type SplitName, splitName } from '../contract/fields.ts';
import {
  type ExportDataset,
  type ExportImage,
  inOrder,
  labelsOf,
  type Selection,
  type SplitFacts,
  type SurveyedDataset,
} from './export-dataset.ts';
import type { ExportFormat } from './export-format.ts';
import { exportNames } from './export-names.ts';

/** Throws `invalid_input` for what the format cannot hold, and the reason of the signal. */
export async function surveyDataset(
  format: Pick<ExportFormat, 'select' | 'isReserved'>,
  given: ExportDataset,
  signal?: AbortSignal,
): Promise<SurveyedDataset> {
  const selection = format.select?.();
  const survey = new Survey(given.classes, format.isReserved);
  for await (const image of given.images()) {
    signal?.throwIfAborted();
    if (selection?.takes(image) === false) survey.leftOut += 1;
    else survey.add(image);
  }
  selection?.finish();
  return {
    ...given,
    ...survey.facts(),
    images: (split) => survey.named(given.images(split), selection?.takes),
  };
}

class Survey {
  leftOut = 0;
  readonly #classes: Set<string>;
  readonly #nameFor: (image: ExportImage) => string;
  readonly #splits = new Map<SplitName, SplitSurvey>();
  readonly #counts = new Map<string, number>();
  readonly #keypoints = new Map<string, Set<string>>();
  readonly #oddBoxes: string[] = [];
  #oddBoxCount = 0;

  constructor(classes: readonly string[], isReserved?: (stem: string) => boolean) {
    this.#classes = new Set(classes);
    this.#nameFor = exportNames(isReserved);
  }

  add(image: ExportImage): void {
    const own = this.#splits.get(image.split) ?? new SplitSurvey();
    this.#splits.set(image.split, own);
    const fileName = this.#nameFor(image);
    own.fileNames.push(fileName);
    own.things += image.boxes.length + image.labels.length;
    for (const label of labelsOf(image)) {
      own.classes.add(label);
      this.#classes.add(label);
    }
    for (const label of image.labels) this.#count(label);
    for (const { label, keypoints = [] } of image.boxes) {
      this.#count(label);
      const known = this.#keypoints.get(label) ?? new Set();
      for (const { label: name } of keypoints) known.add(name);
      this.#keypoints.set(label, known);
    }
    for (const { message } of warningsOf(image.boxes, image)) {
      this.#oddBoxCount += 1;
      if (this.#oddBoxes.length >= oddBoxesMax) continue;
      this.#oddBoxes.push(`${image.split}/${fileName}: ${message}`);
    }
  }

  facts(): Omit<SurveyedDataset, 'images' | 'info' | 'projectType'> {
    return {
      classes: inOrder(this.#classes),
      splits: new Map(splitName.options.flatMap((split) => this.#factsOf(split))),
      counts: this.#counts,
      keypoints: new Map([...this.#keypoints].map(([label, known]) => [label, [...known]])),
      leftOut: this.leftOut,
      oddBoxes: { shown: this.#oddBoxes, count: this.#oddBoxCount },
    };
  }

  /** The images of a later pass, those that were surveyed, with the names that they got. */
  async *named(
    images: AsyncIterable<ExportImage>,
    takes: Selection['takes'] = () => true,
  ): AsyncGenerator<ExportImage> {
    const places = new Map<SplitName, number>();
    for await (const image of images) {
      if (!takes(image)) continue;
      const place = places.get(image.split) ?? 0;
      places.set(image.split, place + 1);
      const fileName = this.#splits.get(image.split)?.fileNames[place];
      if (fileName === undefined) throw new Error('an image that came after the first pass');
      yield { ...image, fileName };
    }
  }

  #count(label: string): void {
    this.#counts.set(label, (this.#counts.get(label) ?? 0) + 1);
  }

  #factsOf(split: SplitName): readonly [SplitName, SplitFacts][] {
    const own = this.#splits.get(split);
    if (own === undefined) return [];
    const { things, classes, fileNames } = own;
    return [[split, { images: fileNames.length, things, classes }]];
  }
}

class SplitSurvey {
  things = 0;
  readonly classes = new Set<string>();
  /** Of its images in their order: all that is kept of each. */
  readonly fileNames: string[] = [];
}

const oddBoxesMax = 200;

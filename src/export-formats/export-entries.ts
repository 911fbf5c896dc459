// The entries of an export (files and images), for a zip file or a folder.

import type {
  ExportContent,
  ExportDataset,
  ExportImage,
  SurveyedDataset,
} from './export-dataset.ts';
import type { ExportFormat } from './export-format.ts';
import { readmeFile } from './readme-file.ts';
import { surveyDataset } from './survey-dataset.ts';

export interface ExportEntry {
  readonly path: string;
  /** Made when it is asked for, once. */
  readonly content: () => ExportContent | Promise<AsyncIterable<Uint8Array>>;
  /** True for bytes that are compressed already. */
  readonly isCompressed: boolean;
}

export interface ExportEntriesOptions {
  readonly signal?: AbortSignal;
  /** Stands between the export and the bytes of each image. */
  readonly open?: (image: ExportImage, total: number) => ReturnType<ExportImage['open']>;
}

/**
 * All entries of an export. Paths are relative, safe to unpack, and different from each other.
 * Throws `invalid_input` for what the format cannot hold.
 */
export async function* exportEntries(
  format: ExportFormat,
  given: ExportDataset,
  { signal, open = (image) => image.open() }: ExportEntriesOptions = {},
): AsyncGenerator<ExportEntry> {
  const surveyed = await surveyDataset(format, given, signal);
  const total = [...surveyed.splits.values()].reduce((sum, { images }) => sum + images, 0);
  const dataset = opening(surveyed, (image) => open(image, total));
  yield { isCompressed: false, ...readmeFile(format, dataset) };
  for await (const file of format.files(dataset)) yield { isCompressed: false, ...file };
  const imagePath = format.imagePath?.(dataset);
  if (imagePath === undefined) return;
  for await (const image of dataset.images()) {
    const path = imagePath(image);
    // BMP and TIFF may not be.
    yield { path, content: image.open, isCompressed: !/\.(bmp|tiff?)$/i.test(path) };
  }
}

/** The same dataset, whose images are opened so. */
function opening(
  dataset: SurveyedDataset,
  open: (image: ExportImage) => ReturnType<ExportImage['open']>,
): SurveyedDataset {
  return {
    ...dataset,
    images: async function* (split) {
      for await (const image of dataset.images(split)) {
        yield { ...image, open: () => open(image) };
      }
    },
  };
}

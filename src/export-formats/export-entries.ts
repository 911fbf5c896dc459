// The entries of an export (files and images), for a zip file or a folder.

import type { BlobFile } from '../storage/blob-file.ts';
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
  /** What has the same content. */
  readonly file?: BlobFile | undefined;
}

export interface ExportEntriesOptions {
  readonly signal?: AbortSignal;
  /** Stands between the export and the bytes of each image. */
  readonly open?: (image: ExportImage) => ReturnType<ExportImage['open']>;
  /** Called before the first entry, with the images that the format takes. */
  readonly onTotal?: (images: number) => void;
}

/**
 * All entries of an export. Paths are relative, safe to unpack, and different from each other.
 * Throws `invalid_input` for what the format cannot hold.
 */
export async function* exportEntries(
  format: ExportFormat,
  given: ExportDataset,
  { signal, open = (image) => image.open(), onTotal }: ExportEntriesOptions = {},
): AsyncGenerator<ExportEntry> {
  const surveyed = await surveyDataset(format, given, signal);
  onTotal?.([...surveyed.splits.values()].reduce((sum, { images }) => sum + images, 0));
  const dataset = opening(surveyed, open);
  yield { isCompressed: false, ...readmeFile(format, dataset) };
  for await (const file of format.files(dataset)) yield { isCompressed: false, ...file };
  const imagePath = format.imagePath?.(dataset);
  if (imagePath === undefined) return;
  const fileOf = format.fileOfImage?.(dataset);
  for await (const image of dataset.images()) {
    if (fileOf !== undefined) yield { isCompressed: false, ...fileOf(image) };
    const path = imagePath(image);
    // BMP and TIFF may not be.
    const isCompressed = !/\.(bmp|tiff?)$/i.test(path);
    yield { path, content: image.open, file: image.file, isCompressed };
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

// The entries of an export (files and images), handed to a zip file or a folder.

import type { ExportDataset, ExportFile, ExportImage } from './export-dataset.ts';
import type { ExportFormat } from './export-format.ts';
import { nameForExport } from './export-names.ts';
import { readmeFile } from './readme-file.ts';

/** Takes the entries in their order; their content is made when it is asked for. */
export interface ExportSink {
  addFile(file: ExportFile): void;
  addImage(path: string, image: ExportImage): void;
}

/**
 * Hands a sink all entries of an export; `watched` may stand between it and each image. Paths are
 * relative, safe to unpack, and different from each other. Gives the number of images. Throws
 * `invalid_input` for what the format cannot hold.
 */
export function addExportEntries(
  sink: ExportSink,
  format: ExportFormat,
  given: ExportDataset,
  watched: (image: ExportImage) => ExportImage = (image) => image,
): number {
  const selected = format.select?.(given) ?? given;
  const images = nameForExport(selected.images, format.isReserved).map(watched);
  const dataset = { ...selected, images };
  sink.addFile(readmeFile(format, dataset, given.images.length - images.length));
  for (const file of format.files(dataset)) sink.addFile(file);
  const imagePath = format.imagePath?.(dataset);
  if (imagePath === undefined) return images.length;
  for (const image of images) sink.addImage(imagePath(image), image);
  return images.length;
}

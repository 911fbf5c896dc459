// Writes an export as a zip file: the same dataset gives the same bytes.

import type { Readable } from 'node:stream';
import { FoveaError } from '../../errors.ts';
import type { ExportDataset, ExportFormat, ExportImage } from './export-format.ts';

export interface WriteExportOptions {
  readonly signal?: AbortSignal;
  /** Called after each image. */
  readonly onProgress?: (progress: { readonly done: number; readonly total: number }) => void;
}

/** Where the bytes of an image are: a path, or a stream that is opened when its turn comes. */
export type OpenImage<Image> = (image: Image) => string | Readable | Promise<string | Readable>;

/**
 * Writes the export to `outputPath`: under a temporary name beside it, synced, then renamed.
 * Throws `cancelled` on abort; nothing is left behind.
 */
export async function writeExport<Image extends ExportImage>(
  _format: ExportFormat,
  _dataset: ExportDataset<Image>,
  _openImage: OpenImage<Image>,
  _outputPath: string,
  _options: WriteExportOptions = {},
): Promise<{ readonly bytes: number; readonly files: number }> {
  throw new FoveaError('not_implemented', 'Not there yet.');
}

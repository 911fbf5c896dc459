// A dataset as files in a folder, for a trainer to read.

import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ExportDataset, ExportFile, ExportImage } from './export-dataset.ts';
import { addExportEntries } from './export-entries.ts';
import type { ExportFormat } from './export-format.ts';

/**
 * Writes the files of an export below a folder, which must not be there. Throws `invalid_input` for
 * what the format cannot hold, and stops with the reason of the signal.
 */
export async function writeDatasetFolder(
  format: ExportFormat,
  dataset: ExportDataset,
  folder: string,
  signal: AbortSignal,
): Promise<void> {
  const entries: Entry[] = [];
  const sink = {
    addFile: ({ path, content }: ExportFile) =>
      entries.push({ path, open: async () => Readable.from(content(), { objectMode: false }) }),
    addImage: (path: string, image: ExportImage) => entries.push({ path, open: image.open }),
  };
  await mkdir(folder, { mode: 0o700 });
  addExportEntries(sink, format, dataset);
  const folders = new Set(entries.map(({ path }) => dirname(join(folder, path))));
  for (const path of folders) await mkdir(path, { recursive: true, mode: 0o700 });
  for (const { path, open } of entries) {
    signal.throwIfAborted();
    const file = createWriteStream(join(folder, path), { flags: 'wx', mode: 0o600 });
    await pipeline(await open(), file, { signal });
  }
}

interface Entry {
  readonly path: string;
  readonly open: () => Promise<Readable>;
}

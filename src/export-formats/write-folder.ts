// A dataset as files in a folder, for a trainer to read.

import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ExportDataset } from './export-dataset.ts';
import { exportEntries } from './export-entries.ts';
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
  await mkdir(folder, { mode: 0o700 });
  const folders = new Set([folder]);
  for await (const { path, content } of exportEntries(format, dataset, { signal })) {
    signal.throwIfAborted();
    const target = join(folder, path);
    if (!folders.has(dirname(target))) {
      await mkdir(dirname(target), { recursive: true, mode: 0o700 });
      folders.add(dirname(target));
    }
    const file = createWriteStream(target, { flags: 'wx', mode: 0o600 });
    await pipeline(Readable.from(await content(), { objectMode: false }), file, { signal });
  }
}

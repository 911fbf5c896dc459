// Imports the images and annotations of a zip file.

import { FoveaError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { awaitedService } from '../../storage/service-away.ts';
import { LeaseLost } from '../../storage/task-queue.ts';
import { openZip } from '../zip-import/open-zip.ts';
import { type BackgroundTask, payloadText } from './background-task.ts';
import { type ImportPayload, importDataset } from './import-dataset.ts';

/** What a zip upload was started with. */
export interface ZipPayload extends ImportPayload {
  readonly uploadId: string;
}

/**
 * An attempt that starts over takes each image again, finds it there by its bytes, and comes to the
 * same figures. The file is removed when the work ends, well or not.
 */
export const importZip: BackgroundTask = async (dependencies, claim, signal) => {
  const upload = await dependencies.store.uploads.find(payloadText(claim, 'uploadId'));
  if (upload?.file === undefined) throw new FoveaError('internal', 'The zip file is lost.');
  try {
    const { file } = upload;
    const open = async (folder: string) => {
      const files = await dependencies.uploads.received.bring(file, folder);
      const source = await openZip(files, file, signal);
      return { source, readersMax: limits.zipReadersMax, textMsMax: limits.zipTextMsMax };
    };
    const result = await importDataset(dependencies, claim, open, signal);
    await dependencies.uploads.received.remove([upload.file]);
    return result;
  } catch (thrown) {
    // What never comes back is removed when it is a day old.
    const isOutage = awaitedService(thrown) !== undefined;
    const goesOn = signal.aborted || isOutage || thrown instanceof LeaseLost;
    if (!goesOn) await dependencies.uploads.received.remove([upload.file]);
    throw thrown;
  }
};

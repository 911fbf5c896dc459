// Imports the images and annotations below a prefix of an object store: no byte passes a caller.

import { limits } from '../../limits.ts';
import { readablePlace } from '../images/readable-objects.ts';
import { openObjects } from '../zip-import/open-objects.ts';
import { type BackgroundTask, payloadText } from './background-task.ts';
import { type ImportPayload, importDataset } from './import-dataset.ts';

/** What an import was started with. */
export interface ObjectsPayload extends ImportPayload {
  /** `s3://bucket/prefix`. */
  readonly from: string;
}

/**
 * An attempt that starts over reads each object again, finds its image by its bytes, and comes to
 * the same figures. What the settings allow is asked again: they may have changed.
 */
export const importObjects: BackgroundTask = async (dependencies, claim, signal) => {
  const place = readablePlace(dependencies.objectImports, payloadText(claim, 'from'), 'from');
  const open = async () => ({
    source: await openObjects(place, signal),
    readersMax: limits.importedObjectsAtOnceMax,
    textMsMax: limits.importedTextMsMax,
  });
  return importDataset(dependencies, claim, open, signal);
};

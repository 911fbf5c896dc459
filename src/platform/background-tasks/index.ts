// All background tasks, in lanes: each lane has its own worker, so that long tasks delay only their
// own lane.

import { autolabelImages } from './autolabel.ts';
import { backfillSearchIndex } from './backfill-search-index.ts';
import type { BackgroundTask } from './background-task.ts';
import { changeBulkMetadata } from './bulk-metadata.ts';
import { describeImages } from './describe-images.ts';
import { evaluateDetections } from './evaluate-detections.ts';
import { exportSearchResults } from './export-search-results.ts';
import { exportVersion } from './export-version.ts';
import { forkProject } from './fork-project.ts';
import { generateVersion } from './generate-version.ts';
import { importZip } from './import-zip.ts';
import { purgeTrash } from './purge-trash.ts';
import { rebalanceSplits } from './rebalance-splits.ts';
import { removeOrphanBlobs } from './remove-orphan-blobs.ts';
import { trainModel } from './train-model.ts';
import { runVideoInference } from './video-inference.ts';

/** By the kind of task. An idle lane costs one query per second. */
export const lanes: readonly Readonly<Record<string, BackgroundTask>>[] = [
  { version: generateVersion },
  { export: exportVersion, 'search-export': exportSearchResults },
  {
    rebalance: rebalanceSplits,
    metadata: changeBulkMetadata,
    fork: forkProject,
    purge: purgeTrash,
    sweep: removeOrphanBlobs,
  },
  { zip: importZip },
  { autolabel: autolabelImages, video: runVideoInference, evaluation: evaluateDetections },
  { training: trainModel },
  { index: backfillSearchIndex },
  { describe: describeImages },
];

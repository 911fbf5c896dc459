// All background tasks, in lanes: each lane has its own worker, so that long tasks delay only their
// own lane.

import type { LaneName } from '../../task-lanes.ts';
import { autolabelImages } from './autolabel.ts';
import { backfillSearchIndex } from './backfill-search-index.ts';
import type { BackgroundTask } from './background-task.ts';
import { changeBulkMetadata } from './bulk-metadata.ts';
import { changeClassesOfProject, undoClassChange } from './change-classes.ts';
import { describeImages } from './describe-images.ts';
import { embedImages } from './embed-images.ts';
import { evaluateDetections } from './evaluate-detections.ts';
import { exportSearchResults } from './export-search-results.ts';
import { exportVersion } from './export-version.ts';
import { forkProject } from './fork-project.ts';
import { generateVersion, generateVersionPart } from './generate-version.ts';
import { importObjects } from './import-objects.ts';
import { importZip } from './import-zip.ts';
import { purgeTrash } from './purge-trash.ts';
import { rebalanceSplits } from './rebalance-splits.ts';
import { removeOrphanBlobs } from './remove-orphan-blobs.ts';
import { trainModel } from './train-model.ts';
import { runVideoInference } from './video-inference.ts';

/** By the name of the lane, then by the kind of task. An idle lane costs one query per second. */
export const lanes = {
  versions: { version: generateVersion, 'version-part': generateVersionPart },
  exports: { export: exportVersion, 'search-export': exportSearchResults },
  changes: {
    rebalance: rebalanceSplits,
    metadata: changeBulkMetadata,
    classes: changeClassesOfProject,
    'classes-undo': undoClassChange,
    fork: forkProject,
    purge: purgeTrash,
    sweep: removeOrphanBlobs,
  },
  imports: { zip: importZip, objects: importObjects },
  models: { autolabel: autolabelImages, video: runVideoInference, evaluation: evaluateDetections },
  trainings: { training: trainModel },
  search: { index: backfillSearchIndex },
  looks: { describe: describeImages },
  embeddings: { embed: embedImages },
} as const satisfies Readonly<Record<LaneName, Readonly<Record<string, BackgroundTask>>>>;

// All background work: a worker for each lane, so that what takes long keeps only its own waiting.

import { runAutolabel } from './autolabel.ts';
import { backfillSearchIndex } from './backfill-search-index.ts';
import type { BackgroundTask } from './background-task.ts';
import { runMetadata } from './bulk-metadata.ts';
import { runSearchExport } from './export-search-results.ts';
import { runExport } from './export-version.ts';
import { runFork } from './fork-project.ts';
import { runVersion } from './generate-version.ts';
import { runZip } from './import-zip.ts';
import { runPurge } from './purge-trash.ts';
import { runRebalance } from './rebalance-splits.ts';
import { runSweep } from './remove-orphan-blobs.ts';
import { runTraining } from './train-model.ts';
import { runVideo } from './video-inference.ts';

/** By the kind of the work. An idle lane costs a look into the database every second. */
export const lanes: readonly Readonly<Record<string, BackgroundTask>>[] = [
  { version: runVersion },
  { export: runExport, 'search-export': runSearchExport },
  {
    rebalance: runRebalance,
    metadata: runMetadata,
    fork: runFork,
    purge: runPurge,
    sweep: runSweep,
  },
  { zip: runZip },
  { autolabel: runAutolabel, video: runVideo },
  { training: runTraining },
  { index: backfillSearchIndex },
];

// All background work: a worker for each lane, so that what takes long keeps only its own waiting.

import { runAutolabel } from './autolabel.ts';
import { runExport } from './export.ts';
import { runFork } from './fork.ts';
import { runIndexImages } from './index-images.ts';
import type { Job } from './job.ts';
import { runMetadata } from './metadata.ts';
import { runPurge } from './purge.ts';
import { runRebalance } from './rebalance.ts';
import { runSearchExport } from './search-export.ts';
import { runSweep } from './sweep.ts';
import { runTraining } from './training.ts';
import { runVersion } from './version.ts';
import { runVideo } from './video.ts';
import { runZip } from './zip.ts';

/** By the kind of the work. An idle lane costs a look into the database every second. */
export const lanes: readonly Readonly<Record<string, Job>>[] = [
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
  { index: runIndexImages },
];

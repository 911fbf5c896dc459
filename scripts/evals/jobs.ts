// The jobs, in the order in which a person would come to them.

import type { Job } from './job.ts';
import { datasetJobs } from './jobs/datasets.ts';
import { evaluationJobs } from './jobs/evaluations.ts';
import { eventJobs } from './jobs/events.ts';
import { freshJobs } from './jobs/fresh.ts';
import { imageJobs } from './jobs/images.ts';
import { modelLoopJobs } from './jobs/model-loop.ts';
import { sharingJobs } from './jobs/sharing.ts';
import { versionJobs } from './jobs/versions.ts';

export const jobs: readonly Job[] = [
  ...datasetJobs,
  ...imageJobs,
  ...versionJobs,
  ...evaluationJobs,
  ...modelLoopJobs,
  ...sharingJobs,
  ...eventJobs,
  ...freshJobs,
];

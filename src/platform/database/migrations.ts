// All migrations of the platform's database, in their order.

import type { Migration } from '../../storage/migrations.ts';
import { taskParts } from '../../storage/task-parts.ts';
import {
  taskErrorCodes,
  taskFairness,
  taskTable,
  taskTurns,
  taskWaits,
} from '../../storage/task-tables.ts';
import { activeLearningTables } from './active-learning.ts';
import { activityImageTables, activityTables } from './activity.ts';
import { annotationDecisionTables, labelsChangedColumn } from './annotation-decisions.ts';
import { annotationJobTables } from './annotation-jobs.ts';
import { apiKeyTables, apiKeyUseColumn } from './api-keys.ts';
import { autolabelTables } from './autolabel.ts';
import { classChangeTables, classChangeTimes } from './class-changes.ts';
import { deploymentTables } from './deployments.ts';
import { embeddingTables } from './embeddings.ts';
import { mendNoteColumns } from './evaluation-mends.ts';
import {
  confusionTables,
  evaluationTables,
  judgedImageIndex,
  labelMistakeTables,
  mendedPlaceColumn,
} from './evaluations.ts';
import { folderTables } from './folders.ts';
import { forkTables } from './forks.ts';
import { goneJobImageColumn } from './gone-job-images.ts';
import { independentLabelTables } from './independent-labels.ts';
import { inferenceTables } from './inferences.ts';
import { jobPositionColumns } from './job-order.ts';
import { splitTables } from './rebalance.ts';
import { refusedFileTables } from './refused-files.ts';
import { refusedPredictionColumn } from './refused-predictions.ts';
import { reviewLabelTables } from './review-labels.ts';
import {
  eventImageUse,
  imageOrder,
  platformTables,
  sharedCallTables,
  visionEventTables,
  wholePlatformTables,
} from './schema.ts';
import { searchTables } from './search.ts';
import { nameChunkTables } from './search-index/name-index.ts';
import { sharpnessColumn, undescribedImageTables } from './search-index/undescribed-images.ts';
import { workspaceTerms } from './search-index/workspace-terms.ts';
import { trainingEpochTable, trainingTables } from './trainings.ts';
import { trashedImageTables } from './trashed-images.ts';
import { uploadTables } from './upload-links.ts';
import { useCaseTables } from './use-cases.ts';
import { versionPartTables } from './version-parts.ts';
import { videoJobTables, videoLookTable, videoSheetColumn } from './video-jobs.ts';
import { workflowTables } from './workflows.ts';

export const platformMigrations: readonly Migration[] = [
  taskTable,
  platformTables,
  taskErrorCodes,
  visionEventTables,
  wholePlatformTables,
  uploadTables,
  videoJobTables,
  searchTables,
  folderTables,
  workflowTables,
  apiKeyTables,
  annotationJobTables,
  autolabelTables,
  inferenceTables,
  trainingTables,
  deploymentTables,
  activeLearningTables,
  splitTables,
  forkTables,
  nameChunkTables,
  imageOrder,
  taskFairness,
  useCaseTables,
  activityTables,
  trashedImageTables,
  videoSheetColumn,
  refusedFileTables,
  activityImageTables,
  workspaceTerms,
  undescribedImageTables,
  evaluationTables,
  annotationDecisionTables,
  videoLookTable,
  labelMistakeTables,
  judgedImageIndex,
  embeddingTables,
  refusedPredictionColumn,
  classChangeTables,
  mendedPlaceColumn,
  classChangeTimes,
  eventImageUse,
  independentLabelTables,
  trainingEpochTable,
  confusionTables,
  taskParts,
  versionPartTables,
  sharedCallTables,
  apiKeyUseColumn,
  mendNoteColumns,
  taskTurns,
  jobPositionColumns,
  goneJobImageColumn,
  taskWaits,
  reviewLabelTables,
  labelsChangedColumn,
  sharpnessColumn,
];

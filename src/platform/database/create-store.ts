// The platform's store: one database, of any engine, and one file for each kind of rows.

import type { AsyncDatabase, OpenAsyncDatabase } from '../../storage/async-database.ts';
import type { TaskQueue } from '../../storage/task-queue.ts';
import type { ImageIndex } from '../store/image-index.ts';
import type { Store } from '../store/store.ts';
import { activeLearningStore } from './active-learning.ts';
import { activityStore } from './activity.ts';
import { annotationJobStore } from './annotation-jobs.ts';
import { apiKeyStore } from './api-keys.ts';
import { autolabelStore } from './autolabel.ts';
import { bulkMetadataStore } from './bulk-metadata.ts';
import { classChangeStore } from './class-changes.ts';
import { deploymentStore } from './deployments.ts';
import { embeddingStore } from './embeddings.ts';
import { evaluationBlobs, evaluationStore } from './evaluations.ts';
import { folderStore } from './folders.ts';
import { forkStore } from './forks.ts';
import { imageStore } from './images.ts';
import { independentLabelStore } from './independent-labels.ts';
import { inferenceStore } from './inferences.ts';
import type { LongReads } from './long-reads/long-reads.ts';
import { readInThisThread } from './long-reads/run-long-read.ts';
import { projectStore } from './projects.ts';
import { purgeStore } from './purge-trash.ts';
import { splitStore } from './rebalance.ts';
import { refusedFileStore } from './refused-files.ts';
import { searchBlobs, searchStore } from './search.ts';
import { bitSlicedImageIndex } from './search-index/bit-sliced-image-index.ts';
import { taskStore } from './tasks.ts';
import { trainingBlobs, trainingStore } from './trainings.ts';
import { trashStore } from './trash.ts';
import { trashedBlobs } from './trashed-images.ts';
import { uploadBlobs, uploadStore } from './upload-links.ts';
import { useCaseStore } from './use-cases.ts';
import { exportStore, versionStore } from './versions.ts';
import { videoJobBlobs, videoJobStore } from './video-jobs.ts';
import { visionEventStore } from './vision-events.ts';
import { workflowStore } from './workflows.ts';
import { workspaceStore } from './workspaces.ts';

/** `reader` runs the long reads, in this thread unless given. It is closed with the store. */
export function createSqliteStore(
  database: OpenAsyncDatabase,
  queue: TaskQueue,
  reader: LongReads = readInThisThread(database),
): Store {
  return createStore(database, bitSlicedImageIndex, queue, reader);
}

/** Whoever opened it closes it with the store. */
type OpenDatabase = AsyncDatabase & { close(): void | Promise<void> };

/** The same on any engine, with its index of images. */
export function createStore(
  database: OpenDatabase,
  index: ImageIndex,
  queue: TaskQueue,
  reader: LongReads,
): Store {
  return {
    workspaces: workspaceStore(database),
    projects: projectStore(database, queue, reader),
    images: imageStore(database, index),
    versions: versionStore(database, queue, reader),
    exports: exportStore(database, queue),
    trash: trashStore(database, index, queue),
    visionEvents: visionEventStore(database, reader),
    useCases: useCaseStore(database),
    refusedFiles: refusedFileStore(database),
    uploads: uploadStore(database, queue),
    videoJobs: videoJobStore(database, queue),
    search: searchStore(database, index, queue, reader),
    embeddings: embeddingStore(database, reader),
    folders: folderStore(database),
    workflows: workflowStore(database),
    splits: splitStore(database, index, queue),
    classChanges: classChangeStore(database, index, queue, reader),
    forks: forkStore(database, index, queue),
    metadata: bulkMetadataStore(database, index, queue),
    purge: purgeStore(database, index),
    apiKeys: apiKeyStore(database),
    annotationJobs: annotationJobStore(database, index),
    independentLabels: independentLabelStore(database),
    autolabel: autolabelStore(database, index, queue),
    inferences: inferenceStore(database, reader),
    trainings: trainingStore(database, queue),
    deployments: deploymentStore(database),
    evaluations: evaluationStore(database, index, queue),
    activeLearning: activeLearningStore(database),
    tasks: taskStore(database),
    activity: activityStore(database),
    refersTo: async (hash) => {
      for (const sql of blobReferences) {
        const wanted = sql.replace('1', '1 AS found');
        const found = await database.get(wanted, [hash], (row) => row.integer('found'));
        if (found !== undefined) return true;
      }
      return false;
    },
    close: async () => {
      await reader.close();
      await database.close();
    },
  };
}

/** Which rows point at a blob: `SELECT 1 FROM table WHERE column = ?`. */
export const blobReferences: readonly string[] = [
  ...['images', 'version_sources', 'version_images', 'exports', 'vision_event_images'].map(
    (table) => `SELECT 1 FROM ${table} WHERE hash = ?`,
  ),
  ...uploadBlobs,
  ...videoJobBlobs,
  ...searchBlobs,
  ...trainingBlobs,
  ...evaluationBlobs,
  ...trashedBlobs,
];

// What the handlers of the platform depend on.

import type { Clock } from '../clock.ts';
import type { Renderers } from '../dataset-versions/render-threads.ts';
import type { Log } from '../log.ts';
import type { Models } from '../model-inference/detection-models.ts';
import type { ObjectImports } from '../object-storage-settings.ts';
import type { BlobStore } from '../storage/blob-store.ts';
import type { TrainerCommand } from '../trainers/trainer-protocol.ts';
import type { People } from './access-control/credential-names.ts';
import type { CollectForLearning } from './active-learning/collect-images.ts';
import type { AnnotationFileReader } from './annotation-threads/annotation-file-reader.ts';
import type { TemporaryFiles } from './background-tasks/temporary-files.ts';
import type { DiskImages } from './disk-images/disk-image-thread.ts';
import type { Descriptors } from './images/descriptors.ts';
import type { Embeddings } from './images/embeddings.ts';
import type { DownloadLinks } from './signed-links/download-links.ts';
import type { Uploads } from './signed-links/upload-links.ts';
import type { Store } from './store/store.ts';
import type { Tasks } from './tasks.ts';

export interface PlatformDependencies {
  readonly store: Store;
  readonly blobs: BlobStore;
  readonly tasks: Tasks;
  readonly descriptors: Descriptors;
  /** Undefined: FOVEA_EMBEDDER names no model. */
  readonly embeddings: Embeddings | undefined;
  readonly links: DownloadLinks;
  readonly clock: Clock;
  readonly renderers: Renderers;
  readonly annotationReader: AnnotationFileReader;
  /** Undefined: files are not kept in a folder. */
  readonly diskImages: DiskImages | undefined;
  readonly temporaryFiles: TemporaryFiles;
  readonly uploads: Uploads;
  readonly models: Models;
  readonly collect: CollectForLearning;
  /** Undefined: no trainer is configured. */
  readonly trainer: TrainerCommand | undefined;
  /** Vision events are kept for so many days; undefined: for good. */
  readonly visionEventDays: number | undefined;
  /** What imports may read of an object store. */
  readonly objectImports: ObjectImports;
  /** Whether people sign in here, so that there are pages for their applications. */
  readonly hasAccounts: boolean;
  /** Undefined: nobody has an account here. */
  readonly people: People | undefined;
  readonly log: Log;
  /** How often a video job may be asked for its status. */
  readonly videoStatusIntervalMs: number;
  /** The most that `augmentation.image.versions` may ask for: the cap of the plan. */
  readonly versionMultiplierMax: number;
  /** Downloads an image; refuses private addresses. */
  fetchImage(url: string, signal: AbortSignal): Promise<Uint8Array>;
}

// Collects images from inferences for review, as the Active Learning settings of a project say.

import { scaledBy } from '../../annotations/box-geometry.ts';
import { writeAnnotation } from '../../annotations/serialized-annotation.ts';
import type { Clock } from '../../clock.ts';
import { asFoveaError } from '../../errors.ts';
import { checkImageFile, reencode } from '../../imaging/image-thread-pool.ts';
import type { Log } from '../../log.ts';
import type { Detection } from '../../model-inference/detection-models.ts';
import type { DetectorTask } from '../../model-inference/model-layout.ts';
import { Semaphore } from '../../semaphore.ts';
import type { BlobStore } from '../../storage/blob-store.ts';
import { sha256 } from '../../storage/content-hash.ts';
import { annotationOfModel } from '../annotation/annotation-of-model.ts';
import { newId } from '../ids-and-slugs.ts';
import type { ActiveLearning } from '../store/active-learning.ts';
import type { Store } from '../store/store.ts';
import {
  batchNameAt,
  boundsOf,
  type CollectionLimits,
  isSampled,
  passes,
} from './collection-rules.ts';

export interface Seen {
  readonly workspaceId: string;
  /** The id under which it is deployed, or the slug of a project. */
  readonly modelName: string;
  readonly image: Uint8Array;
  readonly inferenceId: string;
  /** Of the image, in pixels. */
  readonly width: number;
  readonly height: number;
  readonly task: DetectorTask;
  readonly detections: readonly (Omit<Detection, 'classIndex'> & {
    readonly classIndex?: number;
  })[];
}

/** Never throws: the caller of the model gets its answer in any case. */
export type CollectForLearning = (seen: Seen) => Promise<void>;

export interface CollectOptions {
  readonly store: Store;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly log: Log;
}

export function createCollect(options: CollectOptions): CollectForLearning {
  const { store, clock, log } = options;
  return async (seen) => {
    try {
      const { workspaceId, modelName, inferenceId } = seen;
      for (const learning of await store.activeLearning.enabledFor(workspaceId, modelName)) {
        const { projectId, collectionLimits, filters } = learning;
        if (!isSampled(inferenceId, collectionLimits.samplingRate)) continue;
        if (!passes(filters, seen)) continue;
        const seenHash = sha256(seen.image);
        const place = { id: newId(), projectId, inferenceId, seenHash, created: clock.now() };
        if (!(await store.activeLearning.claim(place, boundsOf(collectionLimits)))) continue;
        const imageId = await keep(options, learning, seen).catch(async (thrown) => {
          await store.activeLearning.settle(place.id, undefined);
          throw thrown;
        });
        await store.activeLearning.settle(place.id, imageId);
      }
    } catch (thrown) {
      log.warn('An image was not collected for active learning.', {
        code: asFoveaError(thrown).code,
      });
    }
  };
}

/** The id of the image; undefined where the project has these bytes already. */
async function keep(
  { store, blobs, clock }: CollectOptions,
  { projectId, collectionLimits }: ActiveLearning,
  seen: Seen,
): Promise<string | undefined> {
  const image = await prepared(seen, collectionLimits);
  const file = await checkImageFile(image.bytes);
  const { hash, bytes } = await blobs.put(image.bytes);
  const created = clock.now();
  const added = await store.images.add({
    id: newId(),
    projectId,
    hash,
    bytes,
    created,
    format: file.format,
    width: file.width,
    height: file.height,
    name: `${seen.inferenceId}.${file.format === 'jpeg' ? 'jpg' : file.format}`,
    split: 'train',
    batchName: batchNameAt(collectionLimits.batchRecreation, created),
    tags: ['active-learning'],
    metadata: {},
    sequenceNumber: undefined,
    sequenceSize: undefined,
    inferenceId: seen.inferenceId,
  });
  if (added.duplicate) return undefined;
  const found = seen.detections.map((one) => scaledBy(one, image.scale));
  const project = await store.projects.get(projectId);
  // An inference without detections adds no annotation: a person has to look at the image.
  const annotation = project && annotationOfModel(project.type, seen.task, found);
  if (collectionLimits.persistPredictions && annotation !== undefined) {
    const options = { overwrite: false, isPredicted: true };
    await store.images.annotate(added.id, writeAnnotation(annotation), options, created);
  }
  return added.id;
}

/** The bytes as they came, unless the settings want them smaller. */
async function prepared(
  { workspaceId, image, width, height }: Seen,
  { maxImageSize, jpegCompression }: CollectionLimits,
): Promise<{ readonly bytes: Uint8Array; readonly scale: number }> {
  const longer = Math.max(width, height);
  const scale = maxImageSize === null || longer <= maxImageSize ? 1 : maxImageSize / longer;
  if (scale === 1 && jpegCompression === null) return { bytes: image, scale };
  const quality = jpegCompression ?? qualityUnset;
  const caller = { name: workspaceId };
  const bytes = await preparing.run(() => reencode(image, scale, quality), { caller });
  return { bytes, scale };
}

/** An image that is made smaller is in memory with all its pixels: never two of them. */
const preparing = new Semaphore({ permitsMax: 1 });

/** JPEG quality without visible loss. */
const qualityUnset = 95;

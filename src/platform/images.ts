// Handlers of the toolset "images": upload, annotation, tags, metadata, batches.

import { revisionOf } from '../annotations/annotation-revision.ts';
import { compareLabels } from '../annotations/compare-labels.ts';
import { labelsOf } from '../annotations/serialized-annotation.ts';
import { isoTime } from '../clock.ts';
import type { images } from '../contract/images.ts';
import { setAndRemoved } from '../contract/set-and-removed.ts';
import { FoveaError, invalidArgument, invalidInput, notFound } from '../errors.ts';
import type { Handlers } from '../http-server/handlers.ts';
import { imageContentTypes } from '../imaging/image-format.ts';
import {
  accessibleProjects,
  findProject,
  isAccessible,
} from './access-control/accessible-projects.ts';
import type { Principal } from './access-control/authorization.ts';
import { describeDecision } from './annotation/decisions.ts';
import { replacedChangeWarnings } from './annotation/replaced-changes.ts';
import type { PlatformDependencies } from './dependencies.ts';
import { thumbnailLink } from './images/thumbnails.ts';
import {
  describeFindings,
  describeUpload,
  readSentAnnotation,
  uploadImage,
} from './images/upload-image.ts';
import type { Batch, Image } from './store/images.ts';
import type { Project } from './store/projects.ts';

/** The others are in images/. */
type Others = 'images_set_metadata_bulk' | 'images_upload_zip' | 'images_upload_zip_status';

export function imageHandlers(
  dependencies: PlatformDependencies,
): Handlers<Omit<typeof images, Others>, Principal> {
  return {
    ...writeHandlers(dependencies),
    ...changeHandlers(dependencies),
    ...readHandlers(dependencies),
  };
}

function writeHandlers(
  dependencies: PlatformDependencies,
): Handlers<Pick<typeof images, 'images_upload' | 'images_annotate'>, Principal> {
  const { store, clock } = dependencies;
  return {
    images_upload: async (input, call) => {
      const project = await findProject(dependencies, call.principal, input.project);
      const uploaded = await uploadImage(dependencies, project, input, call);
      return describeUpload(uploaded, input.annotationFile !== undefined);
    },
    images_annotate: async (input, { principal, signal }) => {
      const { project, image } = await findImage(
        dependencies,
        principal,
        input.project,
        input.imageId,
      );
      const given = { project, image, input };
      const read = await readSentAnnotation(dependencies, given, { principal, signal });
      const { annotation } = read;
      const overwrite = input.overwrite === true || annotation.kind === 'classification';
      // Whoever names the revision has seen what they replace.
      const replaced =
        overwrite && input.revision === undefined
          ? await replacedChangeWarnings(dependencies, principal, image.id)
          : [];
      const outcome = await store.images.annotate(
        image.id,
        annotation,
        {
          overwrite,
          isPredicted: input.prediction === true,
          ...(input.revision !== undefined && { replaces: input.revision }),
          ...(input.class_state !== undefined && { classState: input.class_state }),
          ...(input.jobName !== undefined && {
            job: { name: input.jobName, createdBy: principal.name },
          }),
        },
        clock.now(),
      );
      if (outcome === 'missing') throw noImage(image.id);
      if (outcome === 'was_changed') throw wasChanged(image.name);
      if (outcome === 'classes_were_changed') throw classesWereChanged(image.name);
      if (outcome === 'was_annotated') {
        const kept = await store.images.find(project.id, image.id);
        const how = comparedWords[compareLabels(kept?.annotation, annotation)];
        throw new FoveaError('conflict', `Image "${image.name}" is already annotated${how}.`, {
          hint: 'Pass overwrite: true to replace its annotation.',
        });
      }
      const revision = revisionOf(annotation.json);
      const { boxes, warnings } = describeFindings(read);
      const told = [...replaced, ...warnings];
      return { success: true, annotation_revision: revision, boxes, warnings: told };
    },
  };
}

export function wasChanged(name: string): FoveaError {
  return new FoveaError('conflict', `The annotation of image "${name}" has changed meanwhile.`, {
    hint: 'images_get tells the annotation that it has now, and its annotation_revision.',
  });
}

function classesWereChanged(name: string): FoveaError {
  const what = `The labels of image "${name}" have classes that were renamed or removed meanwhile.`;
  return new FoveaError('conflict', what, {
    hint: 'classes_renamed with the class_state that was given tells what they are called now.',
  });
}

/** The end of a sentence: images_upload of the tools reads it. */
const comparedWords = {
  same: ' with the same labels',
  conflicting: ' with other labels',
  'not compared': '',
} as const;

type Changes = 'images_tag' | 'images_set_metadata' | 'images_delete';

function changeHandlers(
  dependencies: PlatformDependencies,
): Handlers<Pick<typeof images, Changes>, Principal> {
  const { store, clock } = dependencies;
  return {
    images_tag: async (input, { principal }) => {
      const { image } = await findImage(dependencies, principal, input.project, input.imageId);
      const { operation, tags } = input;
      const kept = await store.images.changeTags(image.id, { operation, tags });
      if (kept === undefined) throw noImage(image.id);
      return { success: true, tags: [...kept] };
    },
    images_set_metadata: async (input, { principal }) => {
      const project = await store.images.projectOf(principal.workspace.id, input.imageId);
      const accessible = await accessibleProjects(store, principal);
      if (!project || !isAccessible(accessible, project.id)) throw noImage(input.imageId);
      const { metadata = {}, removeMetadata = [], addTags = [], removeTags = [] } = input;
      const problems = setAndRemoved(input);
      if (problems.length > 0) throw invalidInput(problems);
      const change = { metadata, removeMetadata, addTags, removeTags };
      if (!(await store.images.change(input.imageId, change))) throw noImage(input.imageId);
      return { success: true };
    },
    images_delete: async (input, { principal }) => {
      const project = await findProject(dependencies, principal, input.project);
      const deletion = { now: clock.now(), deletedBy: principal.name };
      const imageIds = [...new Set(input.images)];
      const missing = await store.images.remove(project.id, imageIds, deletion);
      if (missing.length > 0) {
        throw invalidArgument(
          'images',
          `${missing.length} of ${imageIds.length} are not in this project (${missing
            .slice(0, 3)
            .join(', ')}); nothing was deleted`,
        );
      }
      return {};
    },
  };
}

type Reads = 'images_get' | 'batches_list' | 'batches_get';

function readHandlers(
  dependencies: PlatformDependencies,
): Handlers<Pick<typeof images, Reads>, Principal> {
  const { store, links } = dependencies;
  return {
    images_get: async (input, { principal, origin }) => {
      const { image } = await findImage(dependencies, principal, input.project, input.imageId);
      const contentType = imageContentTypes[image.format];
      const original = links.make(origin, { hash: image.hash, name: image.name, contentType });
      const urls = { original, thumb: thumbnailLink(dependencies, origin, image.hash) };
      const decision = await store.annotationJobs.newestDecision(image.id);
      const review = decision && { job: decision.jobId, ...describeDecision(decision) };
      return { image: { ...describeImage(image, urls), ...(review && { review }) } };
    },
    batches_list: async (input, { principal }) => {
      const project = await findProject(dependencies, principal, input.project);
      return { batches: (await store.images.batches(project.id)).map(describeBatch) };
    },
    batches_get: async (input, { principal }) => {
      const project = await findProject(dependencies, principal, input.project);
      const batches = await store.images.batches(project.id);
      const batch = batches.find(({ id }) => id === input.batchId);
      if (!batch) throw notFound('batch', input.batchId, 'batches_list names the batches.');
      const described = describeBatch(batch);
      // The document shows a bare object; the vendor's own client reads it from `batch`.
      return { ...described, batch: described };
    },
  };
}

/** Throws `not_found`. */
export async function findImage(
  dependencies: PlatformDependencies,
  principal: Principal,
  slug: string,
  imageId: string,
): Promise<{ project: Project; image: Image }> {
  const project = await findProject(dependencies, principal, slug);
  const image = await dependencies.store.images.find(project.id, imageId);
  if (!image) throw noImage(imageId);
  return { project, image };
}

export function noImage(imageId: string): FoveaError {
  return notFound('image', imageId, 'images_search and workspace_search give the ids of images.');
}

/** An image as the API shows it: x and y of a box are its centre, all in pixels. */
function describeImage(image: Image, urls: { original: string; thumb: string }) {
  const { id, name, annotation, split, tags, metadata, created, width, height, hash } = image;
  const { sequenceNumber, sequenceSize, inferenceId } = image;
  return {
    id,
    name,
    width,
    height,
    hash,
    annotated: annotation !== undefined,
    annotation_revision: revisionOf(annotation && JSON.stringify(annotation)),
    ...(image.isPredicted && { prediction: true }),
    ...(annotation?.kind === 'detection' && {
      annotation: { width, height, boxes: annotation.boxes.map((box) => ({ ...box })) },
    }),
    labels: annotation ? [...new Set(labelsOf(annotation))] : [],
    split,
    tags: [...tags],
    metadata,
    batch: image.batchId,
    ...(sequenceNumber !== undefined && { sequence_number: sequenceNumber }),
    ...(sequenceSize !== undefined && { sequence_size: sequenceSize }),
    ...(inferenceId !== undefined && { inference_id: inferenceId }),
    created: isoTime(created),
    urls,
  };
}

function describeBatch({ id, name, images, jobs, created }: Batch) {
  return {
    id,
    name,
    images,
    numJobs: jobs,
    uploaded: {
      _seconds: Math.floor(created / 1000),
      _nanoseconds: (created % 1000) * 1_000_000,
    },
  };
}

// Images of a project: upload, annotation, tags, metadata, batches.

import * as z from 'zod';
import { limits } from '../limits.ts';
import { Mistake } from './evaluations.ts';
import {
  classState,
  closed,
  decisionShape,
  displayName,
  flatMetadata,
  identifier,
  imageId,
  inProject,
  inWorkspace,
  jsonBytes,
  open,
  project,
  splitName,
  Task,
  tagNames,
  taskId,
  taskStarted,
  text,
} from './fields.ts';
import { bodyLimits, filePart, operation } from './operation.ts';

const inImage = closed({ ...inProject.shape, imageId });

const split = splitName.optional().describe('Split of new images; default train.');

/** Images stored by earlier releases may exceed the current limits. */
const removed = z.array(z.string().min(1)).max(limits.metadataRemovedMax);

/** All of them are written in one transaction. */
const removedIds = z
  .array(identifier.max(limits.foreignIdCharactersMax))
  .min(1)
  .refine((ids) => ids.length <= limits.imagesDeletedMax, {
    error: `names more than ${limits.imagesDeletedMax} images: delete them in several calls`,
  });

/** Changes of the metadata and tags of an image. */
export const metadataChange = {
  metadata: flatMetadata
    .optional()
    .describe('Key to text, number or boolean; search: metadata:key=value.'),
  removeMetadata: removed.optional().describe('Metadata keys to remove.'),
  addTags: tagNames.optional().describe('Tags that it gets.'),
  removeTags: removed.optional().describe('Tags that it loses.'),
};

export function changesSomething(change: object): boolean {
  return Object.keys(metadataChange).some((name) => Object.hasOwn(change, name));
}

export const nothingToChange = {
  error: 'give at least one of metadata, removeMetadata, addTags, removeTags',
};

const texts = z.array(z.string()).readonly();

/** An annotation file as text, and its class names. */
const annotationFileBounds = bodyLimits({
  bytesMax: limits.annotationBodyBytesMax,
  elementsMax: limits.labelmapClassesMax + 10,
  membersMax: limits.labelmapClassesMax,
});

const annotationFile = z.string().describe('Text of a VOC, COCO, YOLO, CreateML file.');

/** What is said of an annotation that was taken. */
const annotationFindings = {
  boxes: z.int().optional().describe('Boxes or classes that the annotation has.'),
  warnings: z
    .array(open({ message: z.string() }))
    .optional()
    .describe('What is odd about single boxes, which are kept as labelled, or was replaced.'),
};

/** Sized for a thousand images, each with a hundred keys or tags. */
const bulkMetadataBounds = bodyLimits({
  bytesMax: limits.metadataBulkBodyBytesMax,
  parsedBytesMax: limits.metadataBulkBodyBytesMax,
  elementsMax: limits.metadataBulkElementsMax,
});

/** x and y are the centre of a box, in pixels. */
const annotationRevision = z
  .string()
  .describe('Names the state of the annotation; "none": there is none. Of the embedded platform.');

const labelledBox = open({
  label: z.string(),
  x: z.number(),
  y: z.number(),
  width: z.number(),
  height: z.number(),
});

const pixel = z.number().min(0).max(limits.imageSideMax);
const refusedBoxes = z
  .array(
    closed({
      label: text.min(1).max(limits.labelCharactersMax),
      x: pixel,
      y: pixel,
      width: pixel,
      height: pixel,
    }),
  )
  .max(limits.drawnBoxesMax);

const Image = open({
  id: z.string(),
  name: z.string().optional(),
  annotation_revision: annotationRevision.optional(),
  annotation: open({
    width: z.number().optional(),
    height: z.number().optional(),
    boxes: z.array(labelledBox).readonly().optional(),
  })
    .nullable()
    .optional(),
  labels: texts.optional(),
  split: z.string().nullable().optional(),
  tags: texts.optional(),
  metadata: open({}).nullable().optional(),
  created: z.unknown().optional(),
  urls: open({ original: z.string().optional(), thumb: z.string().optional() }).optional(),
  review: open({
    job: z.string(),
    state: z.string().describe('approved or rejected (sent back).'),
    ...decisionShape,
  })
    .optional()
    .describe('What was decided about it last, of the embedded platform.'),
});

const Batch = open({
  id: z.string(),
  name: z.string().optional(),
  images: z.int().optional(),
  numJobs: z.int().optional(),
  uploaded: z.unknown().optional(),
});

export const images = {
  /**
   * Clients may send `name`, `split` and other query parameters as multipart fields; a server
   * treats them as query parameters. The hosted API takes no labels here: those members and what
   * is answered about them are of the embedded platform.
   */
  images_upload: operation({
    id: 'images_upload',
    toolset: 'images',
    method: 'POST',
    path: '/dataset/{project}/upload',
    summary:
      'Add an image from a file or a URL; the same bytes again give the image that is there.',
    pathParameters: closed({ project }),
    query: closed({
      name: text.min(1).max(500).optional().describe('Name of the file.'),
      split,
      batch: displayName.optional().describe('Name of their batch.'),
      tag: tagNames.optional().describe('Tags of the image.'),
      image: z.string().min(1).optional().describe('URL to fetch instead of a file.'),
      sequence_number: z.int().min(0).optional().describe('Place in a sequence.'),
      sequence_size: z.int().min(1).optional().describe('Length of the sequence.'),
      inference_id: text
        .min(1)
        .max(limits.foreignIdCharactersMax)
        .optional()
        .describe('Inference that it comes from.'),
    }),
    body: open({
      file: filePart.optional(),
      metadata: z.string().optional().describe('Flat metadata as JSON text.'),
      annotationFile: annotationFile.optional(),
      annotationName: z.string().max(500).optional().describe('Name of the annotation file.'),
      labelmap: z.string().optional().describe('For YOLO: class number to name, as JSON text.'),
    }),
    bodyType: 'multipart',
    rawMember: 'file',
    answer: open({
      id: z.string(),
      success: z.boolean().optional(),
      duplicate: z.boolean().optional(),
      split: splitName.optional().describe('Of a duplicate: where the image stays.'),
      name: z.string().optional().describe('Of a duplicate: the name of the image that is there.'),
      annotated: z
        .boolean()
        .optional()
        .describe(
          'Where labels came along: whether a new image has them now; images_annotate says why not.',
        ),
      ...annotationFindings,
    }),
    errors: [409, 413, 415, 502],
    scope: 'image:create',
    memberScopes: { annotationFile: 'image:annotate' },
    effect: 'adds',
    idempotent: true,
  }),
  images_annotate: operation({
    id: 'images_annotate',
    toolset: 'images',
    method: 'POST',
    path: '/dataset/{project}/annotate/{imageId}',
    summary: 'Set the annotation of an image from an annotation file.',
    pathParameters: closed({ project, imageId }),
    query: closed({
      name: z.string().min(1).max(500).describe('Annotation file name, with its extension.'),
      jobName: displayName.optional().describe('Annotation job that it counts for.'),
      prediction: z.boolean().optional().describe('true: labelled by a model, not by a person.'),
      overwrite: z.boolean().optional().describe('Replace an annotation that is there.'),
      revision: annotationRevision
        .max(limits.foreignIdCharactersMax)
        .optional()
        .describe(
          'The annotation_revision that it replaces: 409 where there is another one by now.',
        ),
      class_state: classState.optional(),
    }),
    body: open({
      annotationFile,
      labelmap: z
        .record(z.string(), z.string())
        .nullable()
        .optional()
        .describe('For YOLO: class number to name.'),
    }),
    rawMember: 'annotationFile',
    bodyLimits: annotationFileBounds,
    answer: open({
      success: z.boolean().optional(),
      annotation_revision: annotationRevision.optional(),
      ...annotationFindings,
    }),
    errors: [409],
    scope: 'image:annotate',
    effect: 'changes',
  }),
  images_get: operation({
    id: 'images_get',
    toolset: 'images',
    method: 'GET',
    path: '/{workspace}/{project}/images/{imageId}',
    summary: 'An image with its annotation, tags and metadata.',
    pathParameters: inImage,
    answer: open({ image: Image }),
    scope: 'image:read',
    effect: 'reads',
  }),
  images_delete: operation({
    id: 'images_delete',
    toolset: 'images',
    method: 'DELETE',
    path: '/{workspace}/{project}/images',
    summary: 'Delete images for good.',
    pathParameters: inProject,
    body: open({ images: removedIds.describe(`Image ids, at most ${limits.imagesDeletedMax}.`) }),
    answer: open({}),
    success: 204,
    textErrors: [400],
    scope: 'project:update',
    effect: 'removes',
  }),
  images_tag: operation({
    id: 'images_tag',
    toolset: 'images',
    method: 'POST',
    path: '/{workspace}/{project}/images/{imageId}/tags',
    summary: 'Add, remove or set the tags of an image.',
    pathParameters: inImage,
    body: open({
      operation: z.enum(['add', 'remove', 'set']).describe('set replaces all tags of the image.'),
      tags: tagNames.describe('Letters, digits, hyphens, underscores.'),
    }),
    answer: open({ success: z.boolean().optional(), tags: texts.optional() }),
    scope: 'image:tag',
    effect: 'changes',
  }),
  images_set_metadata: operation({
    id: 'images_set_metadata',
    toolset: 'images',
    method: 'POST',
    path: '/{workspace}/images/{imageId}/metadata',
    summary: 'Change the metadata and tags of an image.',
    pathParameters: closed({ ...inWorkspace.shape, imageId }),
    body: open(metadataChange).refine(changesSomething, nothingToChange),
    answer: open({ success: z.boolean().optional() }),
    scope: 'image:tag',
    effect: 'changes',
  }),
  images_set_metadata_bulk: operation({
    id: 'images_set_metadata_bulk',
    toolset: 'images',
    method: 'POST',
    path: '/{workspace}/images/metadata',
    summary: 'Change the metadata and tags of many images.',
    pathParameters: inWorkspace,
    body: open({
      updates: z
        .array(open({ imageId, ...metadataChange }).refine(changesSomething, nothingToChange))
        .min(1)
        .max(limits.metadataUpdatesMax)
        .refine((updates) => jsonBytes(updates) <= limits.metadataBulkBytesMax, {
          error: `has more than ${limits.metadataBulkBytesMax} bytes as JSON: send less at once`,
        })
        .describe('One change for each image.'),
    }),
    bodyLimits: bulkMetadataBounds,
    answer: taskStarted,
    success: 202,
    scope: 'image:tag',
    effect: 'changes',
    longRunning: true,
  }),
  batches_list: operation({
    id: 'batches_list',
    toolset: 'images',
    method: 'GET',
    path: '/{workspace}/{project}/batches',
    summary: 'Upload batches of a project.',
    pathParameters: inProject,
    answer: open({ batches: z.array(Batch) }),
    scope: 'batch:read',
    effect: 'reads',
  }),
  batches_get: operation({
    id: 'batches_get',
    toolset: 'images',
    method: 'GET',
    path: '/{workspace}/{project}/batches/{batchId}',
    summary: 'One upload batch.',
    pathParameters: closed({
      ...inProject.shape,
      batchId: identifier.describe('Id of the batch.'),
    }),
    answer: open({ batch: Batch.optional() }),
    scope: 'batch:read',
    effect: 'reads',
  }),
  images_upload_zip: operation({
    id: 'images_upload_zip',
    toolset: 'images',
    method: 'POST',
    path: '/{workspace}/{project}/upload/zip',
    summary: 'Start the upload of a zip file of images; its bytes go to the URL in the answer.',
    pathParameters: inProject,
    body: open({
      split,
      batchName: displayName.optional().describe('Name of their batch.'),
      tags: tagNames.optional().describe('Tags that all images get.'),
    }),
    answer: open({
      taskId: z.string(),
      signedUrl: z.string().optional().describe('Where the zip file is to be put.'),
      url: z.string().optional(),
    }),
    success: 202,
    strictClientSuccess: 201,
    scope: 'image:create',
    effect: 'adds',
    longRunning: true,
  }),
  images_upload_zip_status: operation({
    id: 'images_upload_zip_status',
    toolset: 'images',
    method: 'GET',
    path: '/{workspace}/upload/zip/{taskId}',
    summary: 'How far the upload of a zip file is.',
    pathParameters: closed({ ...inWorkspace.shape, taskId }),
    answer: Task.partial(),
    scope: 'image:read',
    effect: 'reads',
  }),
};

/** Not in the documented API, but on hosted platforms. */
export const imageExtensions = {
  images_import_objects: operation({
    id: 'images_import_objects',
    toolset: 'images',
    method: 'POST',
    path: '/dataset/{project}/import',
    summary:
      'Take in images, and annotations beside them, from an object store, in the background.',
    pathParameters: closed({ project }),
    body: open({
      from: text.min(1).max(limits.objectsUrlCharactersMax).describe('As s3://bucket/prefix.'),
      split,
      batchName: displayName.optional().describe('Name of their batch.'),
      tags: tagNames.optional().describe('Tags that all images get.'),
    }),
    answer: open({ taskId: z.string(), url: z.string(), workspace: z.string() }),
    success: 202,
    errors: [403],
    scope: 'image:create',
    effect: 'adds',
    longRunning: true,
  }),
  images_predictions: operation({
    id: 'images_predictions',
    toolset: 'images',
    method: 'GET',
    path: '/{workspace}/{project}/images/{imageId}/predictions',
    summary: 'What the deployed model, or else the newest evaluation, sees in an image.',
    pathParameters: closed({ ...inProject.shape, imageId }),
    query: closed({
      evaluation: identifier.optional().describe('Rather what this evaluation kept, where it did.'),
    }),
    answer: open({
      predictions: z
        .array(labelledBox.extend({ confidence: z.number() }))
        .describe('Boxes around their centres, in pixels; the surest first.'),
      refused: z
        .array(labelledBox)
        .optional()
        .describe('What a person refused: no labels, whatever a model sees there.'),
      model: z.string().optional().describe('Id of the model that was run.'),
      evaluationId: z.string().optional().describe('Or: the evaluation that kept them.'),
      mistakes: z
        .array(Mistake)
        .optional()
        .describe('Labels that may be wrong, by the evaluation that was asked for.'),
      confidence: z.number().optional().describe('From there on they are rather right than wrong.'),
    }),
    scope: 'model:infer',
    effect: 'reads',
  }),
  images_refuse_predictions: operation({
    id: 'images_refuse_predictions',
    toolset: 'images',
    method: 'POST',
    path: '/{workspace}/{project}/images/{imageId}/predictions',
    summary: 'Keep that a person refused predictions of an image, or take that back.',
    pathParameters: closed({ ...inProject.shape, imageId }),
    body: open({
      refuse: refusedBoxes.optional().describe('Refused from now on.'),
      restore: refusedBoxes.optional().describe('Not refused any more: as they were sent.'),
    }),
    answer: open({ refused: z.array(labelledBox).describe('All that are refused now.') }),
    scope: 'image:annotate',
    effect: 'changes',
  }),
  images_remove_annotation: operation({
    id: 'images_remove_annotation',
    toolset: 'images',
    method: 'DELETE',
    path: '/{workspace}/{project}/images/{imageId}/annotation',
    summary: 'Take the annotation of an image away: nobody has annotated it then.',
    pathParameters: closed({ ...inProject.shape, imageId }),
    query: closed({
      revision: annotationRevision
        .max(limits.foreignIdCharactersMax)
        .describe('The annotation_revision that goes: 409 where there is another one by now.'),
    }),
    answer: open({ success: z.boolean() }),
    errors: [409],
    scope: 'image:annotate',
    effect: 'changes',
  }),
  images_set_split: operation({
    id: 'images_set_split',
    toolset: 'images',
    method: 'POST',
    path: '/{workspace}/{project}/images/split',
    summary: 'Move images to a split.',
    pathParameters: inProject,
    body: open({
      images: removedIds.describe(`Image ids, at most ${limits.imagesDeletedMax}.`),
      split: splitName.describe('The split they move to.'),
    }),
    answer: open({ moved: z.int().describe('Images that were in another split.') }),
    errors: [409],
    scope: 'project:update',
    effect: 'changes',
  }),
  images_delete_orphans: operation({
    id: 'images_delete_orphans',
    toolset: 'images',
    host: 'local',
    method: 'DELETE',
    path: '/{workspace}/images',
    summary: 'Delete images that no project has; all others are kept.',
    pathParameters: inWorkspace,
    body: open({ images: removedIds.describe(`Ids, up to ${limits.imagesDeletedMax}.`) }),
    answer: open({
      deleted: z.int().describe('Images that are gone.'),
      skipped: z.int().describe('Images that a project has.'),
      deletedSources: z.int(),
      skippedSources: z.int(),
    }),
    scope: 'project:update',
    effect: 'removes',
  }),
};

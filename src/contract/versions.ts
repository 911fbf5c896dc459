// Dataset versions: frozen snapshots of a project.

import * as z from 'zod';
import { limits } from '../limits.ts';
import {
  closed,
  displayName,
  inProject,
  inVersion,
  open,
  splitCounts,
  splitName,
  usuallyOneOf,
  version,
  waitsFor,
} from './fields.ts';
import { operation } from './operation.ts';
import { versionSettings } from './version-settings.ts';

/** The export formats of the embedded platform; others may have more. */
export const exportFormats = [
  'coco',
  'coco-segmentation',
  'voc',
  'yolov5pytorch',
  'mt-yolov6',
  'yolov7pytorch',
  'yolov8',
  'yolov9',
  'yolov11',
  'yolov12',
  'yolov8-obb',
  'darknet',
  'createml',
  'tfrecord',
  'multiclass',
  'folder',
  'png-mask-semantic',
  'jsonl',
  'clip',
] as const;

export type ExportFormatName = (typeof exportFormats)[number];

/** The name of an export format. */
export const exportFormat = usuallyOneOf(exportFormats);

const nocache = z
  .boolean()
  .optional()
  .describe('true: do not answer from the cache of the server.');

/** Answers may carry settings in another form than requests, so unknown members are allowed. */
const Version = open({
  id: z.string().describe('workspace/project/number.'),
  name: z.string().optional(),
  created: z.number().optional().describe('Unix seconds.'),
  images: z.int().optional(),
  splits: splitCounts.partial().optional(),
  classes: z.unknown().optional().describe('Class names, or class name to number of boxes.'),
  preprocessing: open({}).optional(),
  augmentation: open({}).optional(),
  exports: z.array(z.string()).optional().describe('Formats that are ready.'),
  generating: z.boolean().optional(),
  progress: z.number().nullable().optional().describe('0 to 1.'),
  taskId: z.string().optional(),
  waitsFor: waitsFor.optional(),
  error: z.string().optional().describe('Why it could not be generated.'),
  model: open({}).nullable().optional(),
});

export const versions = {
  versions_generate: operation({
    id: 'versions_generate',
    toolset: 'versions',
    method: 'POST',
    path: '/{workspace}/{project}/generate',
    summary: 'Generate a version from the images of a project.',
    pathParameters: inProject,
    body: closed({
      versionName: displayName.optional().describe('Name of the version.'),
      ...versionSettings.shape,
    }),
    answer: open({
      message: z.string().optional(),
      version: z.union([z.int(), z.string()]).describe('Number of the new version.'),
      warnings: z
        .array(z.string())
        .optional()
        .describe('What is unusual, or does less than it says.'),
      taskId: z.string().optional(),
      url: z.string().optional(),
    }),
    errors: [409],
    scope: 'version:create',
    effect: 'adds',
    longRunning: true,
  }),
  versions_get: operation({
    id: 'versions_get',
    toolset: 'versions',
    method: 'GET',
    path: '/{workspace}/{project}/{version}',
    summary: 'A version, how far its generation is, and its model.',
    pathParameters: inVersion,
    query: closed({ nocache }),
    answer: open({ version: Version }),
    scope: 'version:read',
    effect: 'reads',
  }),
  versions_delete: operation({
    id: 'versions_delete',
    toolset: 'versions',
    method: 'DELETE',
    path: '/{workspace}/{project}/{version}',
    summary: 'Move a version to the trash.',
    pathParameters: inVersion,
    answer: open({ deleted: z.boolean(), type: z.string(), id: z.string().optional() }),
    scope: 'version:update',
    effect: 'removes',
    recoverable: true,
  }),
  versions_export: operation({
    id: 'versions_export',
    toolset: 'versions',
    method: 'GET',
    path: '/{workspace}/{project}/{version}/{format}',
    summary: 'A link to the files of a version in a format; 202 while they are being written.',
    pathParameters: closed({
      ...inVersion.shape,
      format: exportFormat.describe('What the trainer reads; yolov8, coco and voc are common.'),
    }),
    query: closed({ nocache }),
    answer: open({
      progress: z.number().optional().describe('0 to 1, while the files are being written.'),
      export: open({
        link: z.string().describe('Where to download the zip file.'),
        format: z.string().optional(),
        size: z.number().optional().describe('Bytes.'),
      }).optional(),
    }),
    alsoAnswers: [202],
    errors: [409],
    scope: 'version:read',
    effect: 'reads',
  }),
};

const diffImage = { imageId: z.string(), name: z.string() };

function changedImages<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.object({
    count: z.int(),
    images: z.array(z.object({ ...diffImage, ...shape })).readonly(),
  });
}

/** A version as a diff shows it. */
const VersionOutline = open({
  version: z.int(),
  images: z.int(),
  splits: splitCounts.partial(),
  classes: z.array(z.string()).readonly(),
  state: z.enum(['generating', 'failed']).optional().describe('Left out: it is there.'),
});

const labelCounts = z.record(z.string(), z.int()).readonly();

/** Not in the hosted API. */
export const versionExtensions = {
  versions_diff: operation({
    id: 'versions_diff',
    toolset: 'versions',
    method: 'GET',
    path: '/{workspace}/{project}/version-diff',
    summary: 'What changed from one version to another: settings, images, splits, labels.',
    pathParameters: inProject,
    query: closed({
      from: version.describe('Number of the earlier version.'),
      to: version.describe('Number of the later one.'),
      limit: z
        .int()
        .min(1)
        .max(limits.versionDiffImagesMax)
        .optional()
        .describe('Images named of each kind; default 20.'),
      offset: z.int().min(0).optional().describe('Images of each kind to skip.'),
    }),
    answer: open({
      from: VersionOutline,
      to: VersionOutline,
      settings: z
        .array(
          z.object({
            setting: z.string().describe('E.g. preprocessing.resize.width.'),
            from: z.unknown().optional(),
            to: z.unknown().optional(),
          }),
        )
        .readonly(),
      unchanged: z.int().describe('Source images with the same split and labels in both.'),
      added: changedImages({ split: splitName }),
      removed: changedImages({ split: splitName }),
      moved: changedImages({ from: splitName, to: splitName }).describe('To another split.'),
      relabelled: changedImages({
        split: splitName,
        from: labelCounts,
        to: labelCounts,
      }).describe('Counts alike: boxes were moved or resized.'),
    }),
    scope: 'version:read',
    effect: 'reads',
  }),
};

// Previews of version settings, before a version is generated. Not in the hosted API: only the
// embedded platform serves them.

import * as z from 'zod';
import { limits } from '../limits.ts';
import { closed, inProject, open } from './fields.ts';
import { filePart, operation } from './operation.ts';
import { versionSettings } from './version-settings.ts';

const choices = {
  seed: z
    .int()
    .min(0)
    .optional()
    .describe('Chooses strengths and images; default 0: as a version, mosaics aside.'),
  samples: z
    .int()
    .min(1)
    .max(limits.previewSamplesMax)
    .optional()
    .describe('Augmented copies of each image; default 3.'),
  pieces: z
    .enum(['first', 'all'])
    .optional()
    .describe('With tile, isolate: all pieces, without copies. Default first.'),
};

/** Default sizes of a preview. */
export const previewDefaults = { sources: 3, samples: 3, seed: 0 } as const;

/** The parameters of a preview beside its images. */
export const previewShape = {
  ...versionSettings.shape,
  ...choices,
  sources: z
    .int()
    .min(1)
    .max(limits.previewSourcesMax)
    .optional()
    .describe('Images to show; default 3.'),
  images: z
    .array(z.string().min(1))
    .min(1)
    .max(limits.previewSourcesMax)
    .optional()
    .describe('These images, by id.'),
};

/** A generated image: its size in pixels and the number of its boxes. */
const Rendered = open({
  width: z.int(),
  height: z.int(),
  boxes: z.int(),
  dropped: z.int().optional().describe('Boxes that are gone; absent where they cannot be told.'),
  words: z.array(z.string()).readonly().describe('What was done, for example "rotate 12.3°".'),
});

const Preview = open({
  sheet: z.string().describe('The contact sheet as base64.'),
  contentType: z.string(),
  width: z.int().describe('Of the sheet, in pixels.'),
  height: z.int(),
  seed: z.int(),
  classes: z.record(z.string(), z.int()).describe('Class name to boxes of the images shown.'),
  images: z
    .array(
      open({
        name: z.string(),
        width: z.int(),
        height: z.int(),
        boxes: z.int(),
        labels: z.array(z.string()).readonly().optional().describe('Classes of the whole image.'),
        preprocessed: Rendered.optional().describe('Absent: the settings make no image of it.'),
        samples: z.array(Rendered).readonly(),
        pieces: z.array(Rendered).readonly().optional().describe('With pieces all: each of them.'),
      }),
    )
    .readonly(),
  effects: z
    .array(z.string())
    .readonly()
    .optional()
    .describe('What strengths amount to in area and pixels.'),
  warnings: z.array(z.string()).readonly(),
});

export const previews = {
  versions_preview: operation({
    id: 'versions_preview',
    toolset: 'versions',
    method: 'POST',
    path: '/{workspace}/{project}/preview',
    summary: 'A contact sheet of what settings would make of train images of a project.',
    pathParameters: inProject,
    body: closed(previewShape),
    answer: Preview,
    scope: 'version:read',
    effect: 'reads',
  }),
  versions_estimate: operation({
    id: 'versions_estimate',
    toolset: 'versions',
    method: 'POST',
    path: '/{workspace}/{project}/estimate',
    summary: 'How long a version would take, from some images that are made and thrown away.',
    pathParameters: inProject,
    body: closed(versionSettings.shape),
    answer: open({
      images: z.int().describe('Images that the version would take.'),
      measured: z.number().describe('How many of them were worked on; one may be in part.'),
      measuredSeconds: z.number(),
      threads: z.int().describe('How many of them are worked on at a time.'),
      seconds: open({ least: z.number(), most: z.number() })
        .optional()
        .describe('Of the whole version; absent where nothing could be measured.'),
    }),
    scope: 'version:read',
    effect: 'reads',
  }),
  versions_preview_files: operation({
    id: 'versions_preview_files',
    toolset: 'versions',
    host: 'local',
    method: 'POST',
    path: '/previews',
    summary: 'The same of images that are sent along. Nothing of them is kept.',
    body: closed({
      images: z
        .array(filePart)
        .min(1)
        .max(limits.previewSourcesMax)
        .describe('Image files, in the order in which they are shown.'),
      annotations: z
        .array(filePart)
        .max(limits.previewSourcesMax)
        .optional()
        .describe('VOC, COCO, YOLO, CreateML files, each about one of the images.'),
      annotated: z
        .array(z.int().min(0))
        .optional()
        .describe('For each annotation file, the place of its image, from 0.'),
      labelmap: z
        .record(z.string(), z.string())
        .optional()
        .describe('For YOLO: class number to name.'),
      ...versionSettings.shape,
      ...choices,
    }),
    bodyType: 'multipart',
    answer: Preview,
    errors: [413, 415],
    scope: 'version:read',
    effect: 'reads',
  }),
};

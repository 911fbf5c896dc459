// Many labelled images in one call, by their paths on this disk: answered to callers in the process
// of the platform alone, which know that the files may be read.

import * as z from 'zod';
import { limits } from '../limits.ts';
import { closed, displayName, open, project, splitName, tagNames, text } from './fields.ts';
import { images } from './images.ts';
import { bodyLimits, operation } from './operation.ts';

const name = text.min(1).max(500);

/** Real paths. An annotation is a file, or the text of one. */
const file = z.strictObject({
  path: z.string().min(1),
  name,
  split: splitName.optional(),
});
const annotation = z.strictObject({
  name,
  path: z.string().min(1).optional(),
  text: z.string().optional(),
});

export const diskImages = {
  /** A file that is answered with null was not taken: images_upload takes it, or says why not. */
  images_upload_files: operation({
    id: 'images_upload_files',
    toolset: 'images',
    method: 'POST',
    path: '/dataset/{project}/upload-files',
    summary: 'Add images of this disk with their annotations.',
    pathParameters: closed({ project }),
    body: closed({
      files: z.array(file).min(1).max(limits.diskImagesAtOnceMax),
      annotations: z
        .array(annotation.nullable())
        .optional()
        .describe('One for each file, in their order.'),
      batch: displayName.optional(),
      tag: tagNames.optional(),
      metadata: z.string().optional(),
      labelmap: images.images_annotate.body.shape.labelmap,
    }),
    bodyLimits: bodyLimits({
      bytesMax: limits.diskImagesBodyBytesMax,
      parsedBytesMax: limits.diskImagesBodyBytesMax,
      elementsMax: limits.labelmapClassesMax + 1_000,
      membersMax: limits.labelmapClassesMax,
    }),
    answer: open({ images: z.array(images.images_upload.answer.nullable()) }),
    errors: [409],
    scope: 'image:create',
    memberScopes: { annotations: 'image:annotate' },
    effect: 'adds',
    idempotent: true,
  }),
};

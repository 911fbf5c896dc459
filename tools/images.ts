// Tools of the images toolset.

import { basename } from 'node:path';
import * as z from 'zod';
import { images } from '../src/contract/images.ts';
import { invalidArgument } from '../src/errors.ts';
import { asRecord } from '../src/json-object.ts';
import { limits } from '../src/limits.ts';
import { fromOperation, toolFor } from '../src/mcp/operation-tool.ts';
import type { Tool, ToolContext } from '../src/mcp/tool.ts';
import { confirmImageDeletion } from './confirmation-prompts.ts';
import { taskWork, waitForTask } from './follow-up-calls.ts';
import { count, fileAt, lastPart, nameList, quoted } from './format.ts';
import { bulkMetadataTool } from './images/bulk-metadata.ts';
import { deleteImagesTool } from './images/delete-images.ts';
import { findInTrash } from './images/find-in-trash.ts';
import { setSplitTool } from './images/set-split.ts';
import { downloadImage, showImage } from './images/show-image.ts';
import { readText } from './upload/read-text.ts';
import { uploadImages, uploadInput } from './upload/upload-tool.ts';

const { images_annotate: annotate, images_get: get } = images;

const annotateInput = z.strictObject({
  ...annotate.pathParameters.shape,
  file: z.string().min(1).optional().describe('Path of an annotation file.'),
  annotation: annotate.body.shape.annotationFile
    .optional()
    .describe('In place of file: its text; in a classification project, the class.'),
  name: annotate.query.shape.name
    .optional()
    .describe('With annotation: a file name whose ending tells the format, e.g. a.xml.'),
  labelmap: annotate.body.shape.labelmap
    .unwrap()
    .unwrap()
    .optional()
    .describe('For YOLO: class number to class name.'),
  overwrite: annotate.query.shape.overwrite,
  jobName: annotate.query.shape.jobName,
  prediction: annotate.query.shape.prediction,
});

const downloadInput = z.strictObject({
  ...get.pathParameters.shape,
  save_to: z.string().min(1).describe('Path of the file to write.'),
});

const zipInput = z.strictObject({
  ...images.images_upload_zip.pathParameters.shape,
  ...images.images_upload_zip.body.shape,
  path: z.string().min(1).optional().describe('Path of a folder, or of a .zip.'),
});

const getTool = toolFor(get, {
  title: 'Get image',
  description:
    'Shows one image in small with split, tags, metadata and boxes. Image ids come from workspace_search or images_search. images_download writes the original to this machine.',
  app: 'labelling',
  input: get.pathParameters,
  run: showImage,
});

export const imageTools: readonly Tool[] = [
  toolFor(images.images_upload, {
    title: 'Upload images',
    description:
      'Uploads images of this machine with their annotations, a whole folder in one call. Annotation files are matched by name; images there already are skipped.',
    fileArguments: ['files', 'annotations', 'labelmap_file', 'list'],
    input: uploadInput,
    run: uploadImages,
  }),
  toolFor(annotate, {
    title: 'Annotate image',
    description:
      'Sets the annotation of one image, from a file or a text in VOC, COCO, YOLO or CreateML. For many images use images_upload with annotations.',
    fileArguments: ['file'],
    input: annotateInput,
    run: annotateImage,
  }),
  {
    ...getTool,
    prepare: (args) => {
      refuseSaving(args);
      return getTool.prepare(args);
    },
  },
  toolFor(get, {
    name: 'images_download',
    title: 'Download image',
    description:
      'Writes the original file of one image to this machine. To look at it use images_get.',
    effect: 'adds',
    usesFiles: true,
    input: downloadInput,
    run: downloadImage,
  }),
  deleteImagesTool(
    fromOperation(images.images_delete, {
      title: 'Delete images',
      description:
        'Deletes images of a project, by id or by query. Versions generated before keep their copies. Cannot be undone on a hosted platform; the embedded one keeps them for 30 days, for trash_restore.',
      confirmation: {
        description: 'Repeat the project here.',
        expected: ({ project }) => lastPart(project),
        prompt: confirmImageDeletion,
      },
      complete: findInTrash,
      summarize: ({ held_by_versions: held }, { images, project }) => {
        const deleted = `Deleted ${count(images.length, 'image')} of ${quoted(project)}`;
        return Array.isArray(held) && held.length > 0
          ? `${deleted}; frozen versions that still hold some: ${held.join(', ')}.`
          : `${deleted}.`;
      },
      next: ({ trash_id: id }, { workspace }) =>
        typeof id === 'string'
          ? [
              {
                tool: 'trash_restore',
                arguments: { workspace, type: 'image', id },
                why: 'Undoes this, for 30 days.',
              },
            ]
          : [],
    }),
  ),
  fromOperation(images.images_tag, {
    title: 'Tag image',
    description:
      'Adds, removes or replaces the tags of one image, and gives all its tags. For many images use images_set_metadata_bulk.',
    summarize: ({ tags }, { imageId }) =>
      `Image ${quoted(imageId)} ${tags ? `has ${tagList(tags)}` : 'is tagged'}.`,
  }),
  fromOperation(images.images_set_metadata, {
    title: 'Set image metadata',
    description:
      'Sets or removes metadata and tags of one image. For many images use images_set_metadata_bulk.',
    summarize: (_answer, { imageId }) => `Changed the metadata of image ${quoted(imageId)}.`,
  }),
  bulkMetadataTool(
    fromOperation(images.images_set_metadata_bulk, {
      title: 'Set metadata of many',
      description:
        'Sets or removes metadata and tags of many images: 1000 by id, or all that a query finds. Runs in the background: see tasks_wait.',
      summarize: ({ taskId }, { updates }) =>
        `Changing ${count(updates.length, 'image')} as task ${quoted(taskId)}.`,
      next: ({ taskId }, { workspace }) => [waitForTask(workspace, taskId)],
      work: ({ taskId }, { workspace }) => taskWork(workspace, taskId),
    }),
  ),
  setSplitTool,
  fromOperation(images.batches_list, {
    title: 'List batches',
    description:
      'Lists the upload batches of a project with ids and sizes. annotation_jobs_create and autolabel_start take an id.',
    summarize: ({ batches }) => `${count(batches.length, 'batch', 'batches')}.`,
  }),
  fromOperation(images.batches_get, {
    title: 'Get batch',
    description:
      'Describes one upload batch: name, images and annotation jobs. batches_list has the ids.',
    summarize: ({ batch }, { batchId }) =>
      `Batch ${quoted(batch?.name ?? batchId)}: ${count(batch?.images ?? 0, 'image')}.`,
  }),
  toolFor(images.images_upload_zip, {
    title: 'Upload zip',
    description:
      'Uploads a dataset as one zip file, from a folder or .zip here, in the background. Without path: gives a URL to PUT it to.',
    fileArguments: ['path'],
    // Subfolders are not searched, and existing images are skipped.
    repeated: 'made',
    givesSecret: true,
    input: zipInput,
    run: async (input, context) => {
      const { uploadZip } = await import('./zip-upload/upload-zip.ts');
      return uploadZip(input, context);
    },
  }),
  fromOperation(images.images_upload_zip_status, {
    title: 'Get zip upload',
    description: 'Tells how far a zip import is, and what was refused.',
    summarize: ({ status }, { taskId }) =>
      `Zip upload ${quoted(taskId)}: ${status === undefined ? 'no status' : quoted(status)}.`,
  }),
];

function tagList(tags: readonly string[]): string {
  return tags.length === 0 ? 'no tags' : `the tags ${nameList(tags)}`;
}

async function annotateImage(input: z.output<typeof annotateInput>, context: ToolContext) {
  const { file, annotation, name, ...rest } = input;
  const source = await annotationOf(file, annotation, name, context);
  const { signal } = context;
  const { body } = await context.client.call(annotate, { ...rest, ...source }, { signal });
  const { boxes } = { boxes: undefined, ...body };
  const figure = typeof boxes === 'number' ? ` with ${count(boxes, 'label')}` : '';
  const warnings = 'warnings' in body && Array.isArray(body.warnings) ? body.warnings.length : 0;
  const warned = warnings > 0 ? `; ${count(warnings, 'warning')}` : '';
  return { summary: `Annotated image ${quoted(input.imageId)}${figure}${warned}.`, data: body };
}

/** The text of the annotation, and a name whose extension tells its format. */
async function annotationOf(
  file: string | undefined,
  annotation: string | undefined,
  name: string | undefined,
  { files }: ToolContext,
) {
  if ((file === undefined) === (annotation === undefined)) {
    throw invalidArgument('file', 'give either file or annotation');
  }
  if (file === undefined) {
    return { annotationFile: annotation ?? '', name: name ?? 'annotation.txt' };
  }
  const real = await files.readable(file, 'file');
  const annotationFile = await readText(real, 'file', limits.annotationBytesMax);
  const isYolo = /\.txt$/i.test(real);
  if (annotationFile === '' && !isYolo) throw invalidArgument('file', `${fileAt(file)} is empty`);
  // An empty YOLO file says that the image shows nothing; the contract wants some text.
  return { annotationFile: annotationFile || '\n', name: name ?? basename(real) };
}

/** A tool that reads writes no file. */
function refuseSaving(args: unknown): void {
  if (asRecord(args).save_to === undefined) return;
  throw invalidArgument('save_to', 'is no argument of images_get', 'images_download takes it.');
}

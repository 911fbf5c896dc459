// Search over public projects and over images of a project or workspace; export of the results.

import * as z from 'zod';
import { limits } from '../limits.ts';
import { closed, displayName, inProject, inWorkspace, open, taskId } from './fields.ts';
import { bodyLimits, operation } from './operation.ts';
import { exportFormat } from './versions.ts';

/** Fields that a caller may request of each image. */
export const imageFields = [
  'id',
  'name',
  'filename',
  'url',
  'created',
  'annotations',
  'labels',
  'split',
  'tags',
  'owner',
  'embedding',
  'metadata',
  'user_metadata',
  'width',
  'height',
  'aspectRatio',
] as const;

const CatalogProject = open({
  workspace: z.string().optional(),
  project: z.string().optional(),
  name: z.string().optional(),
  url: z.string().optional(),
  type: z.string().optional(),
  classes: z.unknown().optional(),
  images: z.int().optional(),
  license: z.string().nullable().optional(),
});

const catalogAnswer = open({
  results: z.array(CatalogProject),
  total: z.int().optional(),
  page: z.int().optional(),
});

/** Search by an image in base64. */
const withImage = bodyLimits({
  bytesMax: Math.ceil(limits.searchImageBytesMax / 3) * 4 + limits.bodyBytesMax,
});

const FoundImage = open({ id: z.string().optional() });

/** The query text; limited, since it is parsed before the search. */
function sought(charactersMax: number) {
  return z
    .string()
    .min(1)
    .refine(({ length }) => length <= charactersMax, {
      error: ({ input }) =>
        `must have at most ${charactersMax} characters, has ${String(input).length}`,
    });
}

const words = sought(limits.searchQueryCharactersMax);
const value = sought(limits.searchValueCharactersMax);

/** More than there are fields. */
const isShortList = [
  (names: readonly string[]) => names.length <= limits.searchFieldsMax,
  { error: `must have at most ${limits.searchFieldsMax} items` },
] as const;

const roboQl = z
  .string()
  .min(1)
  .describe(
    'Conditions that must all hold, e.g. project:cells split:valid class:car>=3 tag:night metadata:camera=7 annotated:false filename:IMG_*.jpg min-width:640; -metadata:camera excludes (here: without that key), OR and brackets combine, * finds all.',
  );

export const search = {
  catalog_search: operation({
    id: 'catalog_search',
    toolset: 'search',
    method: 'GET',
    path: '/catalog/search',
    alsoAt: [{ method: 'GET', path: '/universe/search' }],
    summary: 'Public projects that match words.',
    query: closed({
      q: sought(limits.catalogQueryCharactersMax).describe(
        'Words, and conditions such as class:car, images>500, sort:stars.',
      ),
      type: value.optional().describe('A project type, "dataset" or "model".'),
      limit: z.int().min(1).max(100).optional().describe('Rows per page; default 12.'),
      page: z.int().min(1).optional().describe('Which page, from 1.'),
    }),
    answer: catalogAnswer,
    scope: 'project:read',
    effect: 'reads',
  }),
  catalog_search_by_image: operation({
    id: 'catalog_search_by_image',
    toolset: 'search',
    method: 'POST',
    path: '/catalog/search',
    summary: 'Public projects with images like this one.',
    body: open({ image_base64: z.string().min(1).describe('The image file as base64.') }),
    bodyLimits: withImage,
    answer: catalogAnswer,
    errors: [413],
    scope: 'project:read',
    effect: 'reads',
  }),
  images_search: operation({
    id: 'images_search',
    toolset: 'search',
    method: 'POST',
    path: '/{workspace}/{project}/search',
    summary: 'Images of a project by words, likeness, tag, class or batch.',
    pathParameters: inProject,
    body: open({
      prompt: words.optional().describe('Words of its content, name or tags.'),
      like_image: value.optional().describe('Id of an image: those that look similar.'),
      image_base64: z.string().min(1).optional().describe('Like this file, base64.'),
      tag: value.optional().describe('Only images with this tag.'),
      class_name: value.optional().describe('Only images with a label of this class.'),
      in_dataset: z.boolean().optional().describe('In the dataset, not in a batch or job.'),
      batch: z.boolean().optional().describe('Waiting in a batch.'),
      batch_id: value.optional().describe('Only images of this batch.'),
      annotation_job: z.boolean().optional().describe('In an annotation job.'),
      annotation_job_id: value.optional().describe('Only images of this annotation job.'),
      fields: z
        .array(z.enum(imageFields))
        .refine(...isShortList)
        .optional()
        .describe('What is told of each image.'),
      offset: z.int().min(0).optional().describe('Images to skip; default 0.'),
      limit: z.int().min(1).max(250).optional().describe('Images per page; default 50.'),
    }),
    bodyLimits: withImage,
    answer: open({
      offset: z.int().optional(),
      total: z.int().optional(),
      totalIsExact: z.boolean().optional(),
      results: z.array(FoundImage),
    }),
    errors: [413],
    scope: 'image:read',
    effect: 'reads',
  }),
  workspace_search: operation({
    id: 'workspace_search',
    toolset: 'search',
    method: 'POST',
    path: '/{workspace}/search/v1',
    summary: 'Images of all projects of a workspace.',
    pathParameters: inWorkspace,
    body: open({
      query: roboQl,
      pageSize: z.int().min(1).max(1_000).optional().describe('Images per page; default 50.'),
      fields: z
        .array(value.meta({ enum: imageFields }))
        .refine(...isShortList)
        .optional()
        .describe('What is told of each image.'),
      continuationToken: words.optional().describe('The continuationToken of the page before.'),
    }),
    answer: open({
      results: z.array(FoundImage),
      total: z.int().optional(),
      totalIsExact: z.boolean().optional(),
      order: z.string().optional().describe('sorted, or worst_first; else the newest first.'),
      continuationToken: z.string().nullable().optional(),
    }),
    scope: 'image:read',
    effect: 'reads',
  }),
  search_export_start: operation({
    id: 'search_export_start',
    toolset: 'search',
    method: 'POST',
    path: '/{workspace}/search/export',
    summary: 'Export the images that a search finds.',
    pathParameters: inWorkspace,
    body: open({
      query: roboQl,
      format: exportFormat.describe('What the trainer reads.'),
      dataset: z
        .string()
        .min(1)
        .optional()
        .describe('Only images of this project; default: all that match.'),
      annotationGroup: value.optional().describe('In place of dataset: what its projects label.'),
      name: displayName.optional().describe('Name of the export.'),
    }).refine(({ dataset, annotationGroup }) => !dataset || !annotationGroup, {
      path: ['dataset'],
      error: 'give either dataset or annotationGroup, not both',
    }),
    answer: open({
      link: z.string().optional().describe('The id of the export.'),
      taskId: z.string().optional(),
      url: z.string().optional(),
    }),
    success: 202,
    scope: 'image:read',
    effect: 'adds',
    longRunning: true,
  }),
  search_export_get: operation({
    id: 'search_export_get',
    toolset: 'search',
    method: 'GET',
    path: '/{workspace}/search/export/{taskId}',
    summary: 'Whether an export is ready, and its link.',
    pathParameters: closed({ ...inWorkspace.shape, taskId }),
    answer: open({
      ready: z.boolean().optional(),
      link: z.string().optional(),
      error: z.string().optional(),
    }),
    scope: 'image:read',
    effect: 'reads',
  }),
};

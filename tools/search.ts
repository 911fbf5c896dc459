// Tools of the search toolset.

import * as z from 'zod';
import { search } from '../src/contract/search.ts';
import { invalidArgument } from '../src/errors.ts';
import { asRecord } from '../src/json-object.ts';
import { limits } from '../src/limits.ts';
import { fromOperation, toolFor } from '../src/mcp/operation-tool.ts';
import type { NextCall, Tool } from '../src/mcp/tool.ts';
import { jobWork } from './follow-up-calls.ts';
import { count, countFound, quoted } from './format.ts';
import { readBase64 } from './local-file.ts';
import { getExport } from './search/get-export.ts';
import { exportTool } from './search/start-export.ts';

const imagePath = z.string().min(1);

const imagesInput = z.strictObject({
  ...search.images_search.pathParameters.shape,
  ...search.images_search.body.omit({ image_base64: true }).shape,
  image: imagePath.optional().describe('Path of a local image: those that look similar.'),
});

/** Of the tool: the id alone tells a model nothing. */
const fieldsDefault = ['id', 'name', 'split', 'labels'] as const;

const imagesSearch = toolFor(search.images_search, {
  title: 'Search project images',
  description:
    'Lists the images of one project, or finds them by words, likeness, tag, class or batch. For splits, missing labels, metadata or several projects use workspace_search.',
  fileArguments: ['image'],
  input: imagesInput,
  run: async ({ image, ...input }, context) => {
    const likeness = image === undefined ? {} : { image_base64: await readImage(image, context) };
    const { signal } = context;
    const { body } = await context.client.call(
      search.images_search,
      { fields: [...fieldsDefault], ...input, ...likeness },
      { signal },
    );
    const { results, ...facts } = body;
    const offset = (input.offset ?? 0) + results.length;
    const { total = offset } = facts;
    const next: NextCall = {
      tool: 'images_search',
      arguments: { ...input, ...(image !== undefined && { image }), offset },
      why: 'The next page.',
    };
    const isExact = facts.totalIsExact !== false;
    const hasMore = results.length > 0 && (offset < total || !isExact);
    return {
      summary: `Found ${countFound({ total, isExact })}, ${results.length} on this page.`,
      data: { ...facts, results },
      page: {
        ...(facts.total !== undefined && isExact && { total }),
        shown: results.length,
        truncated: hasMore,
        ...(hasMore && { next: { offset } }),
      },
      ...(hasMore && { next: [next] }),
    };
  },
});

export const searchTools: readonly Tool[] = [
  fromOperation(search.catalog_search, {
    title: 'Search public projects',
    description:
      'Searches public datasets and models by words. projects_fork copies one into the workspace. For your own images use workspace_search.',
    summarize: ({ results }) => `Found ${count(results.length, 'public project')} on this page.`,
  }),
  toolFor(search.catalog_search_by_image, {
    title: 'Search public by image',
    description:
      'Finds public datasets with images that look like a local one. projects_fork copies one into the workspace.',
    usesFiles: true,
    input: z.strictObject({ image: imagePath.describe('Path of a local image.') }),
    run: async ({ image }, context) => {
      const image_base64 = await readImage(image, context);
      const { signal } = context;
      const operation = search.catalog_search_by_image;
      const { body } = await context.client.call(operation, { image_base64 }, { signal });
      return { summary: `Found ${count(body.results.length, 'public project')}.`, data: body };
    },
  }),
  {
    ...imagesSearch,
    prepare: (args) => {
      refuseSplit(args);
      return imagesSearch.prepare(args);
    },
  },
  fromOperation(search.workspace_search, {
    title: 'Search workspace images',
    description:
      'Finds images in all projects with one query: by split, class, number of boxes, tag, metadata, missing labels. Gives the total and a page of images.',
    summarize: ({ results, total = results.length, totalIsExact, order }) => {
      const found = countFound({ total, isExact: totalIsExact !== false });
      const worst = order === 'worst_first' ? ', the worst first' : '';
      return `Found ${found}, ${results.length} on this page${worst}.`;
    },
    project: ({ results, ...facts }) => ({ ...facts, results }),
    page: ({ results, total, totalIsExact, continuationToken }) => ({
      ...(total !== undefined && totalIsExact !== false && { total }),
      shown: results.length,
      truncated: Boolean(continuationToken),
      ...(continuationToken && { next: { continuationToken } }),
    }),
    next: ({ continuationToken }, input) =>
      continuationToken
        ? [
            {
              tool: 'workspace_search',
              arguments: { ...input, continuationToken },
              why: 'The next page.',
            },
          ]
        : [],
  }),
  exportTool(
    fromOperation(search.search_export_start, {
      title: 'Export search results',
      description:
        'Exports the images that a query finds, with their labels, in the background. search_export_get gives the file. For a frozen version use versions_export.',
      repeated: 'made',
      summarize: ({ taskId, link }) => `Export ${quoted(taskId ?? link ?? '')} started.`,
      next: ({ taskId, link }, { workspace }) => {
        const id = taskId ?? link;
        return id === undefined
          ? []
          : [
              {
                tool: 'search_export_get',
                arguments: { workspace, taskId: id },
                why: 'Gives the link once it is ready.',
              },
            ];
      },
      work: (answer, { workspace }) => jobWork(workspace, answer.taskId, answer),
    }),
  ),
  toolFor(search.search_export_get, {
    title: 'Get search export',
    description:
      'Gives the link of an export of search_export_start, or its zip file on this machine with save_to.',
    // It writes a file here.
    effect: 'adds',
    idempotent: true,
    fileArguments: ['save_to'],
    input: z.strictObject({
      ...search.search_export_get.pathParameters.shape,
      save_to: z.string().optional().describe('Path of the .zip to write, or its folder.'),
    }),
    run: getExport,
  }),
];

/** A project is searched by split in the query language alone. */
function refuseSplit(args: unknown): void {
  if (asRecord(args).split === undefined) return;
  const hint = 'workspace_search takes it, for example {"query": "project:cells split:valid"}.';
  throw invalidArgument('split', 'is no condition of images_search', hint);
}

function readImage(path: string, context: Parameters<typeof readBase64>[3]): Promise<string> {
  return readBase64(path, 'image', limits.searchImageBytesMax, context);
}

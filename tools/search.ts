// Tools of the search family.

import * as z from 'zod';
import { search } from '../src/contract/search.ts';
import { limits } from '../src/limits.ts';
import { fromOperation, type NextCall, type Tool, toolFor } from '../src/mcp/tool.ts';
import { readBase64 } from './local-file.ts';
import { jobWork } from './next-calls.ts';
import { count, quoted } from './words.ts';

const imagePath = z.string().min(1);

const imagesInput = z.strictObject({
  ...search.images_search.pathParameters.shape,
  ...search.images_search.body.omit({ image_base64: true }).shape,
  image: imagePath.optional().describe('Like this image file.'),
});

export const searchTools: readonly Tool[] = [
  fromOperation(search.catalog_search, {
    title: 'Search public projects',
    description: 'Finds public datasets and models; projects_fork copies one.',
    summarize: ({ results }) => `Found ${count(results.length, 'public project')} on this page.`,
  }),
  toolFor(search.catalog_search_by_image, {
    title: 'Search public by image',
    description: 'Finds public datasets with images like yours.',
    usesFiles: true,
    input: z.strictObject({ image: imagePath.describe('Image path.') }),
    run: async ({ image }, context) => {
      const image_base64 = await readImage(image, context);
      const { signal } = context;
      const operation = search.catalog_search_by_image;
      const { body } = await context.client.call(operation, { image_base64 }, { signal });
      return { summary: `Found ${count(body.results.length, 'public project')}.`, data: body };
    },
  }),
  toolFor(search.images_search, {
    title: 'Search project images',
    description: 'Lists or finds images; all conditions hold.',
    fileArguments: ['image'],
    input: imagesInput,
    unlisted: ['in_dataset', 'batch', 'annotation_job', 'annotation_job_id'],
    run: async ({ image, ...input }, context) => {
      const likeness = image === undefined ? {} : { image_base64: await readImage(image, context) };
      const { signal } = context;
      const { body } = await context.client.call(
        search.images_search,
        { ...input, ...likeness },
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
      const hasMore = results.length > 0 && offset < total;
      return {
        summary: `Found ${count(total, 'image')}, ${results.length} on this page.`,
        data: { ...facts, results },
        page: {
          ...(facts.total !== undefined && { total }),
          ...{ shown: results.length, truncated: hasMore, ...(hasMore && { next: { offset } }) },
        },
        ...(hasMore && { next: [next] }),
      };
    },
  }),
  fromOperation(search.workspace_search, {
    title: 'Search workspace images',
    description: 'Finds images in all projects with one query.',
    summarize: ({ results, total = results.length }) =>
      `Found ${count(total, 'image')}, ${results.length} on this page.`,
    project: ({ results, ...facts }) => ({ ...facts, results }),
    page: ({ results, total, continuationToken }) => ({
      ...(total !== undefined && { total }),
      ...{ shown: results.length, truncated: Boolean(continuationToken) },
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
  fromOperation(search.search_export_start, {
    title: 'Export search results',
    description: 'Exports what a query finds, without a version.',
    unlisted: ['annotationGroup', 'name'],
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
  fromOperation(search.search_export_get, {
    title: 'Get search export',
    description: 'The link of an export, which expires soon.',
    summarize: ({ ready }) => (ready ? 'The export is ready.' : 'The export is not ready yet.'),
  }),
];

function readImage(path: string, context: Parameters<typeof readBase64>[3]): Promise<string> {
  return readBase64(path, 'image', limits.searchImageBytesMax, context);
}

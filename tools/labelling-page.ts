// The tools of the page of labelling in hosts with MCP Apps: by them it asks what on the platform's
// own page it asks over HTTP. No model is shown them.

import * as z from 'zod';
import { annotationExtensions, reviews } from '../src/contract/annotation.ts';
import { check, checkInput } from '../src/contract/check.ts';
import { identifier } from '../src/contract/fields.ts';
import { imageExtensions, images } from '../src/contract/images.ts';
import type { Operation } from '../src/contract/operation.ts';
import { pictures } from '../src/contract/pictures.ts';
import { projectExtensions, projects } from '../src/contract/projects.ts';
import { search } from '../src/contract/search.ts';
import type { Tool } from '../src/mcp/tool.ts';

type Operations = Readonly<Record<string, Operation>>;

const reads: Operations = {
  annotation_jobs_images: annotationExtensions.annotation_jobs_images,
  classes_renamed: projectExtensions.classes_renamed,
  images_get: images.images_get,
  images_picture: pictures.images_picture,
  images_predictions: imageExtensions.images_predictions,
  projects_get: projects.projects_get,
  workspace_search: search.workspace_search,
};

const saves: Operations = {
  annotation_jobs_decide: annotationExtensions.annotation_jobs_decide,
  annotation_jobs_label: annotationExtensions.annotation_jobs_label,
  annotation_review: reviews.annotation_review,
  images_annotate: images.images_annotate,
  images_refuse_predictions: imageExtensions.images_refuse_predictions,
  images_remove_annotation: imageExtensions.images_remove_annotation,
};

export const labellingPageTools: readonly Tool[] = [
  pageTool('labelling_read', 'Read for labelling', 'Reads what the labelling page shows.', reads),
  pageTool(
    'labelling_save',
    'Save labels',
    'Saves what a person did on the labelling page.',
    saves,
  ),
];

/** One tool for many operations: each is a word less that a host has to ask its user about. */
function pageTool(name: string, title: string, description: string, operations: Operations): Tool {
  const input = z.strictObject({
    workspace: identifier.describe('Slug of the workspace.'),
    operation: z.enum(Object.keys(operations)).describe('What is asked of the platform.'),
    arguments: z.record(z.string(), z.unknown()).describe('As that operation takes them.'),
  });
  const isReading = operations === reads;
  return {
    name,
    toolset: 'annotation',
    title,
    description,
    effect: isReading ? 'reads' : 'changes',
    recoverable: true,
    // A save names the revision that it replaces: an equal one is refused, and changes nothing.
    idempotent: true,
    openWorld: true,
    scope: isReading ? 'image:read' : 'image:annotate',
    usesFiles: false,
    embeddedOnly: true,
    appOnly: true,
    input,
    prepare: (given: unknown) => {
      const { workspace, operation: id, arguments: args } = check(input, given);
      const operation = operations[id];
      if (operation === undefined) throw new Error(`there is no operation ${id}`);
      const at = 'workspace' in operation.pathParameters.shape ? { workspace } : {};
      const sent = checkInput(operation, { ...args, ...at }, []);
      return {
        run: async ({ client, signal }) => {
          const { body } = await client.call(operation, sent, { signal });
          return { summary: `${id} is done.`, data: {}, forPage: body };
        },
      };
    },
  };
}

// Projects: a labelled image collection with splits and versions.

import * as z from 'zod';
import { limits } from '../limits.ts';
import {
  classState,
  closed,
  counts,
  displayName,
  hasAtMost,
  identifier,
  inProject,
  inWorkspace,
  open,
  splitCounts,
  taskStarted,
  text,
} from './fields.ts';
import { operation } from './operation.ts';

export const projectTypes = [
  'object-detection',
  'single-label-classification',
  'multi-label-classification',
  'instance-segmentation',
  'semantic-segmentation',
  'keypoint-detection',
  'text-image-pairs',
] as const;

/** What a model does, for trainers and evaluations. The runtime here runs all but semantic ones. */
export type ModelTask = 'detection' | 'segmentation' | 'semantic' | 'keypoints' | 'classification';

/** Of projects whose labels a model can learn. */
export const taskOfType: Readonly<Partial<Record<(typeof projectTypes)[number], ModelTask>>> = {
  'object-detection': 'detection',
  'instance-segmentation': 'segmentation',
  'semantic-segmentation': 'semantic',
  'keypoint-detection': 'keypoints',
  'single-label-classification': 'classification',
  'multi-label-classification': 'classification',
};

/** A project in answers. `id` is `workspace/slug`. */
export const Project = open({
  id: z.string(),
  name: z.string(),
  type: z.string(),
  annotation: z.string().optional(),
  created: z.number().optional().describe('Unix seconds.'),
  updated: z.number().optional().describe('Unix seconds.'),
  images: z.int().optional(),
  unannotated: z.int().optional(),
  splits: splitCounts.partial().optional(),
  classes: counts.optional(),
  colors: z
    .record(z.string(), z.string())
    .optional()
    .describe('Class name to #rrggbb, as pages draw it.'),
});

const VersionSummary = open({
  id: z.string(),
  name: z.string().optional(),
  created: z.number().optional(),
  images: z.int().optional(),
});

const oddBoxes = open({
  count: z.int(),
  images: z.array(z.string()).readonly().describe('Names of the first of them.'),
});

const placedImage = { id: z.string(), name: z.string(), split: z.string() };

const imageGroup = open({
  images: z.array(open(placedImage)).readonly(),
  total: z.int().describe('Images of the group.'),
});

const refusedFile = open({
  file: z.string(),
  reason: z.string(),
  time: z.string(),
  who: z.string().optional(),
});

const imageGroups = {
  groups: z.int(),
  images: z.int().describe('Images in all of them.'),
  examples: z.array(imageGroup).readonly(),
};

const relativeShare = z.int().min(0);

export const projects = {
  projects_create: operation({
    id: 'projects_create',
    toolset: 'projects',
    method: 'POST',
    path: '/{workspace}/projects',
    summary: 'Create a project.',
    pathParameters: inWorkspace,
    body: open({
      name: displayName.describe('Display name; the slug is made from it.'),
      type: z.enum(projectTypes).describe('Which labels the images get.'),
      annotation: text.min(1).max(100).describe('What is labelled, in one word, e.g. cells.'),
      license: text.max(50).optional().describe('Licence of the images, e.g. MIT.'),
      public: z
        .boolean()
        .optional()
        .describe('Whether other workspaces may read and fork it. Default false.'),
    }),
    answer: Project.extend({
      slug_taken: z.string().optional().describe('The slug of the name, which another has.'),
    }),
    success: 201,
    scope: 'project:create',
    effect: 'adds',
  }),
  projects_fork: operation({
    id: 'projects_fork',
    toolset: 'projects',
    method: 'POST',
    path: '/{workspace}/projects/fork',
    summary: 'Copy a public catalog project into the workspace.',
    pathParameters: inWorkspace,
    body: open({
      url: z.string().min(1).optional().describe('URL of a public project.'),
      source_project: z
        .string()
        .min(1)
        .optional()
        .describe('In place of url: slug of a project of this workspace.'),
    }).refine(({ url, source_project: slug }) => (url === undefined) !== (slug === undefined), {
      error: 'give url or source_project, and not both',
    }),
    answer: taskStarted,
    success: 202,
    scope: 'project:create',
    effect: 'adds',
    longRunning: true,
  }),
  projects_get: operation({
    id: 'projects_get',
    toolset: 'projects',
    method: 'GET',
    path: '/{workspace}/{project}',
    summary: 'A project with its classes, splits and versions.',
    pathParameters: inProject,
    answer: open({
      workspace: open({ name: z.string(), url: z.string() }),
      project: Project,
      versions: z.array(VersionSummary),
    }),
    scope: 'project:read',
    effect: 'reads',
  }),
  projects_delete: operation({
    id: 'projects_delete',
    toolset: 'projects',
    method: 'DELETE',
    path: '/{workspace}/{project}',
    summary: 'Move a project to the trash.',
    pathParameters: inProject,
    answer: open({ deleted: z.boolean(), type: z.string(), id: z.string().optional() }),
    scope: 'project:update',
    effect: 'removes',
    recoverable: true,
  }),
  projects_health: operation({
    id: 'projects_health',
    toolset: 'projects',
    method: 'GET',
    path: '/{workspace}/{project}/health',
    summary: 'Statistics of the images and annotations of a project.',
    pathParameters: inProject,
    query: closed({
      regenerate: z
        .boolean()
        .optional()
        .describe('Compute the figures anew in place of stored ones.'),
    }),
    answer: open({
      health: z.boolean(),
      stats: open({
        numImages: z.int(),
        numAnnotations: z.int(),
        avgImageSize: z.array(z.number()).describe('Width and height in pixels.'),
        medianImageRatio: z.number(),
        missingAnnotations: z.int(),
        nullAnnotations: z.int(),
        classDistribution: counts,
      }),
      splits: splitCounts.partial().optional(),
      boxes: open({
        checked: z.int(),
        complete: z.boolean().describe('false: only the boxes of the oldest images were checked.'),
        withoutArea: oddBoxes,
        tiny: oddBoxes.describe(`A side below ${limits.healthTinyPixels} pixels.`),
        atEdge: oddBoxes.describe('Touching an edge of the image.'),
        overEdge: oddBoxes.describe('Reaching over it, or outside.'),
        duplicate: oddBoxes.optional().describe('Of the class and place of another one.'),
      }).optional(),
      nearDuplicates: open({
        ...imageGroups,
        compared: z.int(),
        plain: z.int().describe('Images too even to be compared.'),
        complete: z.boolean().describe('false: not all others were compared.'),
      })
        .optional()
        .describe('Groups of images that show the same picture.'),
      leaks: open(imageGroups).optional().describe('Those of them that lie in several splits.'),
      conflicts: open(imageGroups)
        .optional()
        .describe('Those that are labelled in different ways.'),
      unreadable: open({
        total: z.int(),
        images: z.array(open({ ...placedImage, reason: z.string() })).readonly(),
      })
        .optional()
        .describe('Images whose pixels turned out to be unreadable; the oldest.'),
      refused: open({
        total: z.int(),
        complete: z.boolean().describe('false: older ones are not kept.'),
        files: z.array(refusedFile).readonly(),
      })
        .optional()
        .describe('Files that uploads refused, the newest first.'),
    }),
    scope: 'project:read',
    effect: 'reads',
  }),
  projects_rebalance_splits: operation({
    id: 'projects_rebalance_splits',
    toolset: 'projects',
    method: 'POST',
    path: '/{workspace}/{project}/splits/rebalance',
    summary: 'Move images between train, valid and test.',
    pathParameters: inProject,
    body: closed({
      splits: closed({ train: relativeShare, valid: relativeShare, test: relativeShare })
        .refine(({ train, valid, test }) => train + valid + test > 0, {
          error: 'at least one share must be greater than 0',
        })
        .describe('Relative shares of the images, e.g. 70, 20, 10.'),
      mode: z
        .enum(['rebalance', 'shuffle'])
        .optional()
        .describe('rebalance (default) moves as few as needed; shuffle deals all anew.'),
      grouping: z
        .enum(['global', 'batch'])
        .optional()
        .describe('For shuffle: all images together (global), or each batch.'),
      classes: z
        .array(z.string().max(limits.labelCharactersMax))
        .max(limits.rebalanceClassesMax)
        .optional()
        .describe('Only images with these classes.'),
    }),
    answer: taskStarted,
    success: 202,
    scope: 'project:update',
    effect: 'changes',
    longRunning: true,
  }),
  models_list: operation({
    id: 'models_list',
    toolset: 'projects',
    method: 'GET',
    path: '/{workspace}/{project}/models',
    summary: 'Trained models of a project.',
    pathParameters: inProject,
    query: closed({ group: z.string().optional().describe('Only models of this type.') }),
    answer: open({ models: z.array(open({})) }),
    scope: 'project:read',
    effect: 'reads',
  }),
};

/** In pixels, with its centre. */
const oddBox = z.object({
  label: z.string(),
  x: z.number(),
  y: z.number(),
  width: z.number(),
  height: z.number(),
});

const oldClass = z.string().min(1).max(limits.labelCharactersMax);
const newClass = text
  .max(limits.labelCharactersMax)
  .refine((name) => name !== '' && name.trim() === name && !/\p{Cc}/u.test(name), {
    error: 'must be a class name: one line, without blanks at its ends',
  })
  // It could not be renamed again: no object of JSON may have it as a member.
  .refine((name) => name !== '__proto__', { error: 'must be another name than __proto__' })
  .refine((name) => !turnsText.test(name), {
    error: 'must have no characters that turn the direction of the text around it',
  });

/** Embeddings, overrides and isolates: a name with one reads as another. */
const turnsText = /[\u202a-\u202e\u2066-\u2069]/;

const findingKinds = [
  'near-duplicates',
  'leaks',
  'conflicting-labels',
  'boxes-without-area',
  'tiny-boxes',
  'boxes-over-edge',
  'boxes-at-edge',
  'duplicate-boxes',
  'refused-files',
  'unreadable-images',
  'outliers',
  'clusters',
] as const;

/** Not in the hosted API. */
export const projectExtensions = {
  projects_findings: operation({
    id: 'projects_findings',
    toolset: 'projects',
    method: 'GET',
    path: '/{workspace}/{project}/health-findings',
    summary: 'The images behind one finding of the health of a project.',
    pathParameters: inProject,
    query: closed({
      finding: z.enum(findingKinds).describe('What projects_health counted.'),
      limit: z
        .int()
        .min(1)
        .max(limits.findingsPageMax)
        .optional()
        .describe('Groups, images or files of a page; default 20.'),
      offset: z.int().min(0).optional().describe('Rows to skip; default 0.'),
      picture: z.boolean().optional().describe('Show its first 8 images.'),
    }),
    answer: open({
      total: z.int().describe('Groups, images or files on all pages.'),
      complete: z.boolean().describe('false: not all images were looked at.'),
      by: z.string().optional().describe('What tells them apart: an embedding model, or looks.'),
      compared: z.int().optional().describe('Images that were compared.'),
      sharpness: open({
        measured: z.int().describe('Images whose sharpness is known.'),
        unmeasured: z.int().describe('Images of which it is not known, or not yet.'),
        low: z.number().optional().describe('Below it an image is an outlier.'),
        high: z.number().optional().describe('Above it an image is an outlier.'),
      })
        .optional()
        .describe('Of outliers, with the fence where enough images were measured.'),
      splits: splitCounts.partial().optional().describe('Of leaks: images of the project in each.'),
      groups: z.array(imageGroup).readonly().optional(),
      images: z
        .array(
          open({
            ...placedImage,
            boxes: z.array(oddBox).readonly(),
            total: z.int().describe('Such boxes of the image.'),
            reason: z.string().optional().describe('What else is wrong with it.'),
            sharpness: z.number().optional().describe('Of outliers by their sharpness.'),
          }),
        )
        .readonly()
        .optional(),
      files: z.array(refusedFile).readonly().optional(),
      sheet: z.string().optional().describe('The contact sheet as base64.'),
      contentType: z.string().optional(),
    }),
    scope: 'image:read',
    effect: 'reads',
  }),
  classes_renamed: operation({
    id: 'classes_renamed',
    toolset: 'projects',
    method: 'GET',
    path: '/{workspace}/{project}/class-changes',
    summary: 'What classes are called that somebody saw earlier.',
    pathParameters: inProject,
    query: closed({
      since: classState.optional().describe('The class_state of then; default: that of now.'),
    }),
    answer: open({
      class_state: z.string(),
      renamed: z.record(z.string(), z.string()).describe('{old: new}.'),
      removed: z.array(z.string()),
    }),
    scope: 'project:read',
    effect: 'reads',
  }),
  classes_change: operation({
    id: 'classes_change',
    toolset: 'projects',
    method: 'POST',
    path: '/{workspace}/{project}/class-changes',
    summary: 'Rename, merge or remove classes in all images of a project, or take that back.',
    pathParameters: inProject,
    body: closed({
      rename: z
        .record(oldClass, newClass)
        .refine(...hasAtMost(limits.classesChangedMax))
        .optional()
        .describe('{old: new}; a new name that is there already, or comes twice, merges.'),
      remove: z
        .array(oldClass)
        .max(limits.classesChangedMax)
        .optional()
        .describe('Classes whose labels go.'),
      dry_run: z.boolean().optional().describe('Only counts what would change.'),
      undo: identifier.optional().describe('Or: changeId of a change to take back.'),
    }),
    answer: open({
      changeId: z.string().optional().describe('For undo, for 30 days.'),
      classes: z
        .array(
          open({
            class: z.string(),
            to: z.string().optional().describe('Absent: its labels go.'),
            merges: z.boolean().optional().describe('With another class of that name.'),
            labels: z.int(),
            images: z.int(),
          }),
        )
        .optional(),
      labels: z.int().optional().describe('Labels that change, of all these classes.'),
      images: z.int().optional().describe('Images in which they are.'),
      emptied: z
        .int()
        .optional()
        .describe('Images left without a label: marked empty; of one class each: unannotated.'),
      keptApart: z
        .int()
        .optional()
        .describe('Images with these classes in independent jobs, whose labels stay as they are.'),
      taskId: z.string().optional(),
      url: z.string().optional(),
    }),
    errors: [409],
    scope: 'project:update',
    effect: 'changes',
    idempotent: false,
    longRunning: true,
  }),
};

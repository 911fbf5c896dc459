// Evaluations: how good a model or a file of predictions is, judged by labels. Not in the hosted
// API: only the embedded platform serves them.

import * as z from 'zod';
import { limits } from '../limits.ts';
import { closed, identifier, inProject, open, splitName } from './fields.ts';
import { filePart, operation } from './operation.ts';

/** What evaluations_get shows. */
const evaluationPanels = [
  'summary',
  'per_class',
  'by_size',
  'confusion_matrix',
  'confidence_sweep',
  'images',
] as const;

const figure = z.number().nullable();

const Evaluation = open({
  evaluationId: z.string(),
  taskId: z.string(),
  status: z.string().describe('created, running, completed or failed.'),
  error: z.string().optional(),
  created: z.number().describe('Unix seconds.'),
  model: z.string().optional().describe('Id of the model.'),
  predictions: z.string().optional().describe('Name of the file of predictions.'),
  version: z.int().optional(),
  split: z.string().optional(),
  query: z.string().optional(),
  confidence: z.number().optional().describe('That of the counts below; default: of the best F1.'),
  ap: figure.optional().describe('Mean over classes and IoU 0.50 to 0.95.'),
  ap50: figure.optional(),
  f1: figure.optional().describe('At that confidence.'),
});

const SizeFigures = open({ ap: figure, ar: figure, groundTruths: z.int() });

const Counts = open({
  truePositives: z.int(),
  falsePositives: z.int(),
  misses: z.int(),
});

const Point = Counts.extend({
  confidence: z.number(),
  precision: figure,
  recall: figure,
  f1: figure,
});

const ClassRow = open({
  class: z.string(),
  groundTruths: z.int(),
  ap: figure,
  ap50: figure,
  precision: figure.optional().describe('At the confidence of the evaluation.'),
  recall: figure.optional(),
  f1: figure.optional(),
  bestConfidence: figure.optional().describe('The threshold of its best F1.'),
  bySize: z.record(z.string(), SizeFigures).optional(),
});

export const evaluations = {
  evaluations_create: operation({
    id: 'evaluations_create',
    toolset: 'evaluations',
    method: 'POST',
    path: '/{workspace}/{project}/evaluations',
    summary: 'Judge a model, or a file of predictions, by the labels of a version or of a query.',
    pathParameters: inProject,
    body: closed({
      version: z.int().min(1).optional().describe('Number of the version to judge by.'),
      split: splitName.optional().describe('Of the version; default test.'),
      query: z
        .string()
        .min(1)
        .max(limits.searchQueryCharactersMax)
        .optional()
        .describe('Or: a search; judges by the labels of these images.'),
      model: identifier
        .max(limits.foreignIdCharactersMax)
        .optional()
        .describe('Id of the model; default: the deployed one.'),
      predictions: filePart.optional().describe('Or: COCO results as JSON.'),
      confidence: z
        .number()
        .min(0)
        .max(1)
        .optional()
        .describe('For counts and confusions, in hundredths; default: that of the best F1.'),
    }),
    bodyType: 'multipart',
    answer: open({ evaluationId: z.string(), taskId: z.string(), url: z.string() }),
    errors: [409, 413, 501],
    scope: 'training-job:create',
    effect: 'adds',
    longRunning: true,
  }),
  evaluations_list: operation({
    id: 'evaluations_list',
    toolset: 'evaluations',
    method: 'GET',
    path: '/{workspace}/{project}/evaluations',
    summary: 'The newest evaluations of a project, at most 100, with their main figures.',
    pathParameters: inProject,
    answer: open({ evaluations: z.array(Evaluation) }),
    scope: 'model-eval:read',
    effect: 'reads',
  }),
  evaluations_get: operation({
    id: 'evaluations_get',
    toolset: 'evaluations',
    method: 'GET',
    path: '/{workspace}/{project}/evaluations/{evaluationId}',
    summary: 'One panel of an evaluation: figures by the COCO protocol, confusions, or images.',
    pathParameters: closed({
      ...inProject.shape,
      evaluationId: identifier.describe('Id of the evaluation.'),
    }),
    query: closed({
      panel: z.enum(evaluationPanels).optional().describe('What to show; default summary.'),
      class: z
        .string()
        .min(1)
        .optional()
        .describe('For confidence_sweep and images: this class alone.'),
      limit: z
        .int()
        .min(1)
        .max(limits.evaluationPageMax)
        .optional()
        .describe('Rows of a page; default 20.'),
      offset: z.int().min(0).optional().describe('Rows to skip; default 0.'),
      picture: z
        .boolean()
        .optional()
        .describe('Draws the matrix, the sweep, or the first images of the page with their boxes.'),
    }),
    answer: Evaluation.extend({
      panel: z.enum(evaluationPanels),
      images: z.int().optional().describe('Images that were judged.'),
      unannotated: z.int().optional().describe('Images without labels: left out.'),
      unreadable: z.int().optional().describe('Images that the model could not read: left out.'),
      groundTruths: z.int().optional(),
      detections: z.int().optional(),
      ap75: figure.optional(),
      ar1: figure.optional().describe('With one detection of each image and class.'),
      ar10: figure.optional(),
      ar100: figure.optional(),
      bySize: z
        .record(z.string(), SizeFigures)
        .optional()
        .describe('small (below 32 x 32 pixels of the original), medium, large (from 96 x 96).'),
      point: Point.optional().describe('At the confidence of the evaluation.'),
      best: Point.optional().describe('At the threshold of the best F1.'),
      notJudged: open({})
        .optional()
        .describe('Predictions of images and classes that are not among the labels.'),
      total: z.int().optional().describe('Rows on all pages.'),
      classes: z.array(ClassRow).optional().describe('The weakest first.'),
      matrix: open({ labels: z.array(z.string()), counts: z.array(z.array(z.int())) })
        .optional()
        .describe('Rows are the labels, columns what was found. Absent: too many classes.'),
      confusions: z
        .array(open({ truth: z.string(), found: z.string(), count: z.int() }))
        .optional()
        .describe('Cells beside the diagonal, the largest first.'),
      points: z.array(Point).optional(),
      results: z
        .array(Counts.extend({ image: z.string() }))
        .optional()
        .describe('Images, those with most that is wrong or missing first.'),
      sheet: z.string().optional().describe('The picture as base64.'),
      contentType: z.string().optional(),
    }),
    scope: 'model-eval:read',
    effect: 'reads',
  }),
};

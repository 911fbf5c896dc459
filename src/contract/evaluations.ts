// Evaluations: how good a model or a file of predictions is, judged by labels. Not in the hosted
// API: only the embedded platform serves them.

import * as z from 'zod';
import { limits } from '../limits.ts';
import { closed, identifier, inProject, open, splitName, tagName } from './fields.ts';
import { filePart, operation } from './operation.ts';
import type { ModelTask } from './projects.ts';

/** What evaluations_get shows. */
const evaluationPanels = [
  'summary',
  'per_class',
  'by_size',
  'confusion_matrix',
  'confidence_sweep',
  'images',
  'label_mistakes',
  'recommendations',
] as const;

/** What of an image is judged, by the type of its project. */
export type EvaluableTask = keyof typeof judgedThings;

export const judgedThings = {
  detection: 'boxes',
  segmentation: 'masks',
  keypoints: 'keypoints',
  classification: 'classes',
  semantic: 'pixels',
} as const satisfies Partial<Record<ModelTask, string>>;

/** What may be wrong with a label, or with its absence. */
export const labelMistakeKinds = ['overlooked', 'swapped', 'badly_placed', 'duplicate'] as const;

export type LabelMistakeKind = (typeof labelMistakeKinds)[number];

/** What evaluations_mend mends; people must draw outlines and place keypoints. */
export const mendedKinds: Readonly<Record<EvaluableTask, readonly LabelMistakeKind[]>> = {
  detection: labelMistakeKinds,
  segmentation: ['swapped'],
  keypoints: ['swapped'],
  classification: ['swapped', 'overlooked'],
  semantic: [],
};

/** What an image is chosen by: errors of the model, or mistakes of the labels. */
const errorKinds = ['misses', 'false_positives', ...labelMistakeKinds] as const;

export type ErrorKind = (typeof errorKinds)[number];

const figure = z.number().nullable();

const rowsOfPage = 'Rows of a page; default 20.';

/** In the words of trainings_list. */
const Trained = open({
  project: z.string(),
  version: z.int(),
  trainingId: z.string(),
  modelType: z.string(),
  split: z.string(),
})
  .optional()
  .describe('Which training made the model, and of what; absent: that is not known.');

const Evaluation = open({
  evaluationId: z.string(),
  taskId: z.string(),
  status: z.string().describe('created, running, completed or failed.'),
  error: z.string().optional(),
  created: z.number().describe('Unix seconds.'),
  model: z.string().optional().describe('Id of the model.'),
  trained: Trained,
  predictions: z.string().optional().describe('Name of the file of predictions.'),
  modelTask: z
    .string()
    .optional()
    .describe('detection, segmentation, keypoints, classification or semantic.'),
  version: z.int().optional(),
  split: z.string().optional(),
  query: z.string().optional(),
  confidence: z.number().optional().describe('That of the counts below; default: of the best F1.'),
  ap: figure.optional().describe('Mean over classes and IoU 0.50 to 0.95.'),
  ap50: figure.optional(),
  accuracy: figure.optional().describe('Of classes: share of images with all right.'),
  meanIou: figure.optional().describe('Of pixels: mean of classes and background.'),
  pixelAccuracy: figure.optional(),
  f1: figure.optional().describe('At that confidence.'),
  judgedBy: z.string().optional().describe('What makes a detection right.'),
  withoutOutline: z.int().optional().describe('Labels judged by their box as a mask.'),
  withoutKeypoints: z.int().optional().describe('Labels without keypoints: left out.'),
  modelLacks: open({
    ofImages: z.int(),
    moreFound: z.int().describe('Images with more objects than are kept.'),
    withoutOutline: z.int().describe('Objects judged by their box.'),
    cutOutlines: z.int().describe('Outlines without holes or pieces of their masks.'),
  })
    .optional()
    .describe('What the model found and is not judged.'),
  warning: z.string().optional().describe('Why the figures may say nothing of a model.'),
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
  pixels: z.int().optional().describe('Of the labels.'),
  iou: figure.optional(),
  ap: figure.optional(),
  ap50: figure.optional(),
  precision: figure.optional().describe('At the confidence of the evaluation.'),
  recall: figure.optional(),
  f1: figure.optional(),
  bestConfidence: figure.optional().describe('The threshold of its best F1.'),
  bySize: z.record(z.string(), SizeFigures).optional(),
});

const inEvaluation = closed({
  ...inProject.shape,
  evaluationId: identifier.describe('Id of the evaluation.'),
});

/** Which images of the panels images and label_mistakes are meant. */
const chosen = {
  class: z.string().min(1).optional().describe('Only of this class.'),
  only: z
    .enum(errorKinds)
    .optional()
    .describe('Of images the first two, of label_mistakes the others.'),
  scoreMin: z.number().min(0).max(1).optional().describe('Of label_mistakes, from there on.'),
};

const Place = open({ x: z.int(), y: z.int(), width: z.int(), height: z.int() }).describe(
  'Pixels of the judged image; x and y are the centre.',
);

export const Mistake = open({
  kind: z.string(),
  score: z.number().describe('0 to 1: how probable.'),
  label: z.string().optional().describe('Class of the label.'),
  labelBox: Place.optional(),
  found: z.string().describe('Class that is there; of a duplicate: of the other label.'),
  box: Place.optional(),
  since: z
    .string()
    .optional()
    .describe('mended: the label is so by now; changed: it is another, or gone.'),
});

const Call = open({ tool: z.string(), arguments: open({}) });

const Recommendation = open({
  name: z.string(),
  level: z.string().describe('warning: the figures are not to be trusted; advice.'),
  class: z.string().optional(),
  other: z.string().optional().describe('The class that is found in its place.'),
  figures: open({}).describe('What it is concluded from.'),
  causes: z.array(z.string()).describe('The likely first.'),
  look: Call.optional().describe('Shows the images behind it.'),
  next: Call,
  why: z.string(),
});

const Compared = Evaluation.pick({
  evaluationId: true,
  model: true,
  predictions: true,
  confidence: true,
  ap: true,
  ap50: true,
  accuracy: true,
  meanIou: true,
  pixelAccuracy: true,
  f1: true,
});

const ClassFigures = open({
  iou: figure.optional(),
  ap: figure.optional(),
  ap50: figure.optional(),
  precision: figure,
  recall: figure,
  f1: figure.optional(),
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
        .describe('Or: a search; judges by these images.'),
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
        .describe('For counts; default: that of the best F1.'),
    }),
    bodyType: 'multipart',
    answer: open({
      evaluationId: z.string(),
      model: Evaluation.shape.model,
      trained: Trained,
      taskId: z.string(),
      url: z.string(),
    }),
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
    pathParameters: inEvaluation,
    query: closed({
      panel: z.enum(evaluationPanels).optional().describe('What to show; default summary.'),
      ...chosen,
      found: z.string().min(1).optional().describe('Of images: found in place of class.'),
      limit: z.int().min(1).max(limits.evaluationPageMax).optional().describe(rowsOfPage),
      offset: z.int().min(0).optional().describe('Rows to skip; default 0.'),
      picture: z
        .boolean()
        .optional()
        .describe('Draws confusion_matrix, confidence_sweep, images or label_mistakes.'),
    }),
    answer: Evaluation.extend({
      panel: z.enum(evaluationPanels),
      images: z.int().optional().describe('Images that were judged.'),
      unannotated: z.int().optional().describe('Images without labels: left out.'),
      unreadable: z.int().optional().describe('Images that the model could not read: left out.'),
      groundTruths: z.int().optional(),
      detections: z.int().optional(),
      macro: open({ precision: figure, recall: figure, f1: figure })
        .optional()
        .describe('Of classes: means over them.'),
      meanIouOfClasses: figure.optional().describe('Without background.'),
      meanAccuracy: figure.optional(),
      frequencyWeightedIou: figure.optional(),
      ap75: figure.optional(),
      ar1: figure.optional().describe('With one detection of each image and class.'),
      ar10: figure.optional(),
      ar100: figure.optional(),
      ar20: figure.optional().describe('Of keypoints, in place of these.'),
      ar50: figure.optional().describe('Of keypoints: recall at an OKS of 0.5.'),
      ar75: figure.optional(),
      bySize: z
        .record(z.string(), SizeFigures)
        .optional()
        .describe('small (below 32 x 32 pixels of the original), medium, large (from 96 x 96).'),
      point: Point.optional().describe('At the confidence of the evaluation.'),
      best: Point.optional().describe('At the threshold of the best F1.'),
      notJudged: open({
        ofUnknownImages: open({ count: z.int() }).optional(),
        ofUnknownClasses: z.record(z.string(), z.int()),
      })
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
        .array(Counts.extend({ image: z.string(), imageId: z.string().optional() }))
        .optional()
        .describe('Images, those with most that is wrong or missing first.'),
      mistakes: z
        .record(z.string(), z.int())
        .optional()
        .describe('Labels that may be wrong, by kind.'),
      mislabelled: z
        .array(
          open({
            image: z.string(),
            imageId: z.string().optional(),
            mistakes: z.array(Mistake),
            total: z.int().describe('Mistakes of the image.'),
          }),
        )
        .optional()
        .describe('Images, the most probable mistakes first.'),
      recommendations: z
        .array(Recommendation)
        .optional()
        .describe('Warnings about the figures first.'),
      search: z
        .string()
        .optional()
        .describe('Of images and label_mistakes: a condition of searches that finds all of them.'),
      sheet: z.string().optional().describe('The picture as base64.'),
      contentType: z.string().optional(),
    }),
    scope: 'model-eval:read',
    effect: 'reads',
  }),
  evaluations_compare: operation({
    id: 'evaluations_compare',
    toolset: 'evaluations',
    method: 'GET',
    path: '/{workspace}/{project}/evaluations/{evaluationId}/comparison',
    summary: 'What is better and worse than in another evaluation of the same images.',
    pathParameters: inEvaluation,
    query: closed({
      baseline: identifier.describe('Id of the evaluation before.'),
      limit: z.int().min(1).max(limits.evaluationPageMax).optional().describe(rowsOfPage),
      offset: z.int().min(0).optional().describe('Rows to skip; default 0.'),
    }),
    answer: open({
      baseline: Compared,
      compared: Compared,
      labelsDiffer: z.boolean().optional().describe('Labels were changed between the two.'),
      classes: z
        .array(
          open({ class: z.string(), change: figure, before: ClassFigures, after: ClassFigures }),
        )
        .describe('The largest change of AP first; of classes, of F1.'),
      images: open({ better: z.int(), worse: z.int(), same: z.int() }).describe('By errors.'),
      total: z.int().describe('Images with another number of errors.'),
      changed: z
        .array(
          open({
            image: z.string(),
            imageId: z.string().optional(),
            before: Counts,
            after: Counts,
          }),
        )
        .describe('The largest change first.'),
    }),
    errors: [409],
    scope: 'model-eval:read',
    effect: 'reads',
  }),
  evaluations_tag: operation({
    id: 'evaluations_tag',
    toolset: 'evaluations',
    method: 'POST',
    path: '/{workspace}/{project}/evaluations/{evaluationId}/tags',
    summary: 'Tag the images in which a model errs, or whose labels may be wrong.',
    pathParameters: inEvaluation,
    body: closed({
      tag: tagName.describe('Letters, digits, hyphens, underscores.'),
      class: chosen.class,
      only: chosen.only.describe('Errors, or mistakes of labels; default: all mistakes.'),
      scoreMin: chosen.scoreMin,
    }),
    answer: open({
      images: z.int().describe('Images that get the tag.'),
      total: z.int().describe('Images with such errors or mistakes.'),
      taskId: z.string().optional(),
      url: z.string().optional(),
    }),
    scope: 'image:tag',
    effect: 'changes',
    longRunning: true,
  }),
  evaluations_mend: operation({
    id: 'evaluations_mend',
    toolset: 'evaluations',
    method: 'POST',
    path: '/{workspace}/{project}/evaluations/{evaluationId}/mends',
    summary: 'Mend labels by the mistakes that an evaluation found, or take that back.',
    pathParameters: inEvaluation,
    body: closed({
      only: z.enum(labelMistakeKinds).describe('Which kind of mistakes.'),
      class: z.string().min(1).optional().describe('Of this class alone.'),
      scoreMin: z.number().min(0).max(1).optional().describe('From this score on.'),
      images: z
        .array(identifier)
        .min(1)
        .max(limits.evaluationMendImagesMax)
        .optional()
        .describe('Ids; default: all images.'),
      undo: z.boolean().optional().describe('Takes its mends back.'),
    }),
    answer: open({
      labels: z.int().describe('Labels that were mended.'),
      images: z.int().describe('Images in which they are.'),
      left: open({
        changed: z.int().describe('Labels were saved since.'),
        reverted: z.int().describe('Mended before, and put back since: undo these first.'),
        outlined: z.int().describe('The label has an outline or keypoints.'),
        already: z.int().describe('Mended already; with undo: not mended by it.'),
      }).describe('Mistakes that were not mended.'),
      total: z.int().describe('Images with such mistakes.'),
      changed: z
        .array(open({ image: z.string(), imageId: z.string(), labels: z.int() }))
        .describe('Some of these images.'),
    }),
    errors: [409],
    scope: 'image:annotate',
    effect: 'changes',
    idempotent: true,
  }),
  evaluations_delete: operation({
    id: 'evaluations_delete',
    toolset: 'evaluations',
    method: 'DELETE',
    path: '/{workspace}/{project}/evaluations/{evaluationId}',
    summary: 'Delete an evaluation with its file of predictions.',
    pathParameters: inEvaluation,
    answer: open({}),
    success: 204,
    errors: [409],
    scope: 'training-job:create',
    effect: 'removes',
  }),
};

// Annotation jobs for people, and Auto Label jobs for models.

import * as z from 'zod';
import { limits } from '../limits.ts';
import {
  closed,
  decisionShape,
  displayName,
  hasAtMost,
  identifier,
  imageId,
  inProject,
  inWorkspace,
  open,
  text,
} from './fields.ts';
import { images } from './images.ts';
import { operation } from './operation.ts';

const jobId = identifier.describe('Id of the job.');
const email = text.max(320).refine((value) => /^[^\s@]+@[^\s@]+$/.test(value), {
  error: 'must be an e-mail address, such as ada@example.com',
});
const label = text.min(1).max(limits.labelCharactersMax);
const classesMax = hasAtMost(limits.autolabelClassesMax);
const ordered = z.boolean().optional().describe('Show images in this order, not by name.');

/** Objects of both people, of one and of the other, and F1 at an IoU of 0.5. */
const agreementFigures = {
  f1: z.number(),
  both: z.int(),
  one: z.int(),
  other: z.int(),
};

const ImageAgreement = open({ id: z.string(), name: z.string(), ...agreementFigures });

/** What two people labelled alike. */
const Agreement = open({
  with: z.string().describe('Id of the other job; "labels": the labels of the images.'),
  labeler: z.string().optional().describe('Of the other job.'),
  images: z.int().describe('Images that both labelled.'),
  not_compared: z.int().optional().describe('Images with too many objects.'),
  compared_by: z.string().optional().describe('masks, boxes or masks_and_boxes.'),
  ...agreementFigures,
  mean_iou: z.number().optional().describe('Of the objects that both have, of one class.'),
  cohens_kappa: z.number().optional().describe('Of their classes.'),
  classes: z.array(open({ class: z.string(), ...agreementFigures })),
  disagreements: z.array(ImageAgreement).describe('Images below 1, the least first.'),
});

const AnnotationJob = open({
  id: z.string().optional(),
  name: z.string().optional(),
  status: z.string().optional(),
  sourceBatch: z.string().optional(),
  labeler: z.string().optional(),
  reviewer: z.string().optional(),
  numImages: z.int().optional(),
  unannotated: z.int().optional(),
  annotated: z.int().optional(),
  approved: z.int().optional(),
  rejected: z.int().optional(),
  independent: z.boolean().optional(),
  agreement: z.array(Agreement).optional(),
  openJob: z.string().optional().describe('An open job that has images of the disagreements.'),
  sentBack: z
    .array(
      open({
        image: z.string(),
        name: z.string(),
        comment: z.string().optional(),
        by: z.string().optional(),
        labels_changed: decisionShape.labels_changed,
      }),
    )
    .optional()
    .describe('Images that a reviewer sent back, and why.'),
});

export const annotation = {
  annotation_jobs_list: operation({
    id: 'annotation_jobs_list',
    toolset: 'annotation',
    method: 'GET',
    path: '/{workspace}/{project}/jobs',
    summary: 'Annotation jobs of a project.',
    pathParameters: inProject,
    answer: open({ jobs: z.array(AnnotationJob) }),
    scope: 'annotation-job:read',
    effect: 'reads',
  }),
  annotation_jobs_create: operation({
    id: 'annotation_jobs_create',
    toolset: 'annotation',
    method: 'POST',
    path: '/{workspace}/{project}/jobs',
    summary: 'Give images of a batch to a labeler.',
    pathParameters: inProject,
    body: open({
      name: displayName.describe('Name of the job.'),
      batch: identifier.describe('Id of the batch.'),
      num_images: z.int().min(1).describe('How many images, the first ones.'),
      labelerEmail: email.describe('Email of the member who labels.'),
      reviewerEmail: email.describe('Email of the member who reviews.'),
    }),
    answer: AnnotationJob,
    success: 201,
    strictClientSuccess: 200,
    scope: 'annotation-job:create',
    effect: 'adds',
  }),
  annotation_jobs_get: operation({
    id: 'annotation_jobs_get',
    toolset: 'annotation',
    method: 'GET',
    path: '/{workspace}/{project}/jobs/{jobId}',
    summary: 'One annotation job with its progress.',
    pathParameters: closed({ ...inProject.shape, jobId }),
    answer: AnnotationJob,
    scope: 'annotation-job:read',
    effect: 'reads',
  }),
  autolabel_start: operation({
    id: 'autolabel_start',
    toolset: 'annotation',
    method: 'POST',
    path: '/{workspace}/{project}/autolabel',
    summary: 'Let a model label the images of a batch.',
    pathParameters: inProject,
    body: open({
      batchId: identifier.describe('Id of the batch.'),
      modelType: text
        .min(1)
        .max(limits.foreignIdCharactersMax)
        .describe('local, or PROJECT/VERSION; hosted also e.g. sam3.'),
      modelOptions: open({
        modelId: z
          .string()
          .min(1)
          .max(limits.foreignIdCharactersMax)
          .optional()
          .describe('Id of a model of your own.'),
        outputFormat: z.enum(['polygon', 'rle']).optional().describe('How masks are stored.'),
      })
        .optional()
        .describe('Settings of the model.'),
      ontology: z
        .record(label, label)
        .refine(...classesMax)
        .optional()
        .describe('{what the model looks for: class}.'),
      numImagesToLabel: z.int().min(1).optional().describe('How many images; default: all.'),
      defaultConfidence: z
        .number()
        .min(0)
        .max(1)
        .optional()
        .describe('Least confidence of a label.'),
      confidenceThresholds: z
        .record(label, z.number().min(0).max(1))
        .refine(...classesMax)
        .optional()
        .describe('Least confidence per class, each 0 to 1.'),
      runNms: z.boolean().optional().describe('Drop overlapping boxes; default true.'),
      reviewerEmail: email.optional().describe('Email of the member who reviews.'),
    }),
    answer: open({
      jobId: z.string().optional(),
      annotationJobId: z.string().optional(),
      message: z.string().optional(),
      leftOut: z
        .array(z.string())
        .optional()
        .describe('Classes of the model that are not labelled.'),
      taskId: z.string().optional(),
    }),
    success: 202,
    scope: 'annotation-job:create',
    effect: 'adds',
    longRunning: true,
  }),
  autolabel_get: operation({
    id: 'autolabel_get',
    toolset: 'annotation',
    method: 'GET',
    path: '/{workspace}/autolabel/jobs/{jobId}',
    summary: 'How far an Auto Label job is.',
    pathParameters: closed({ ...inWorkspace.shape, jobId }),
    answer: open({
      status: z.string().optional(),
      annotationJobId: z.string().optional(),
      images: open({
        total: z.int().optional(),
        labelled: z.int().optional(),
        empty: z.int().optional(),
        skipped: z.int().optional(),
      }).optional(),
      error: z.string().optional(),
    }),
    scope: 'annotation-job:read',
    effect: 'reads',
  }),
};

/** Not in the hosted API, whose people have a page of their own. */
export const reviews = {
  annotation_review: operation({
    id: 'annotation_review',
    toolset: 'annotation',
    method: 'POST',
    path: '/{workspace}/{project}/reviews',
    summary: 'Ask a person to look at images: to correct, approve or send them back.',
    pathParameters: inProject,
    body: open({
      images: z
        .array(identifier.max(limits.foreignIdCharactersMax))
        .min(1)
        .refine((ids) => ids.length <= limits.annotationJobImagesMax, {
          error: `names more than ${limits.annotationJobImagesMax} images: make several reviews`,
        })
        .optional()
        .describe('Ids of the images.'),
      ordered,
      job: jobId.optional().describe('Or: an annotation job.'),
      instructions: text
        .min(1)
        .max(limits.reviewTextCharactersMax)
        .optional()
        .describe('What to look at.'),
      assignedTo: email.optional().describe('Email of the person.'),
    })
      .refine(({ images, job }) => (images === undefined) !== (job === undefined), {
        path: ['images'],
        error: 'give either images or job',
      })
      .refine(({ ordered: isOrdered, job }) => isOrdered === undefined || job === undefined, {
        path: ['ordered'],
        error: 'goes with images: a job keeps its order',
      }),
    answer: open({
      taskId: z.string().describe('Its task is completed once every image is decided.'),
      jobId: z.string().describe('The annotation job of these images.'),
      images: z.int(),
      undecided: z.int(),
      assignedTo: z.string().optional(),
      replaced: open({ assignedTo: z.string().optional(), instructions: z.string().optional() })
        .optional()
        .describe('What the job said before, where this changed it.'),
      page: z.string().describe('Where it is on the page of the platform, behind its #.'),
    }),
    success: 201,
    errors: [409],
    scope: 'annotation-job:create',
    effect: 'adds',
    longRunning: true,
  }),
};

/** What one person said of an image; x and y of a box are its centre. */
const IndependentLabels = open({
  job: z.string(),
  labeler: z.string().optional(),
  annotated: z.boolean(),
  boxes: z
    .array(
      open({
        label: z.string(),
        x: z.number(),
        y: z.number(),
        width: z.number(),
        height: z.number(),
      }),
    )
    .optional(),
  labels: z.array(z.string()),
});

/** An image of a job, and what was decided about it last. */
const JobImage = open({
  id: z.string(),
  name: z.string(),
  state: z.string().describe('unannotated, annotated, approved or rejected (sent back).'),
  ...decisionShape,
  decisions: z.int().describe('How many decisions there were: the next one names it.'),
  annotation_revision: z.string().optional().describe('Of the labels in an independent job.'),
  independent: z
    .array(IndependentLabels)
    .optional()
    .describe('Its own labels, or in a later job those of the independent ones before.'),
});

const inJob = closed({ ...inProject.shape, jobId });

const imageIds = z.array(imageId).optional();

/** Not in the hosted API: without a review no job could be completed. */
export const annotationExtensions = {
  annotation_jobs_create_for_images: operation({
    id: 'annotation_jobs_create_for_images',
    toolset: 'annotation',
    method: 'POST',
    path: '/{workspace}/{project}/jobs/images',
    summary: 'Give chosen images to a labeler, annotated ones too.',
    pathParameters: inProject,
    body: open({
      name: displayName.describe('Name of the job.'),
      images: z
        .array(identifier.max(limits.foreignIdCharactersMax))
        .min(1)
        .refine((ids) => ids.length <= limits.annotationJobImagesMax, {
          error: `names more than ${limits.annotationJobImagesMax} images: make several jobs`,
        })
        .describe('Ids of the images.'),
      ordered,
      independent: z.boolean().optional().describe('Keep labels apart to compare people.'),
      labelerEmail: email.describe('Email of the member who labels.'),
      reviewerEmail: email.describe('Email of the member who reviews.'),
    }),
    answer: AnnotationJob,
    success: 201,
    errors: [409],
    scope: 'annotation-job:create',
    effect: 'adds',
  }),
  annotation_jobs_review: operation({
    id: 'annotation_jobs_review',
    toolset: 'annotation',
    method: 'PATCH',
    path: '/{workspace}/{project}/jobs/{jobId}',
    summary: 'Approve or reject annotated images of a job.',
    pathParameters: inJob,
    body: open({
      approve: imageIds.describe('Image ids to approve.'),
      reject: imageIds.describe('Image ids; the annotation of a model is removed.'),
    })
      .refine(({ approve, reject }) => approve !== undefined || reject !== undefined, {
        error: 'give at least one of approve, reject',
      })
      .refine(
        ({ approve = [], reject = [] }) =>
          approve.length + reject.length <= limits.annotationReviewImagesMax,
        {
          path: ['approve'],
          error:
            `and reject name more than ${limits.annotationReviewImagesMax} images together: ` +
            'review them in several calls',
        },
      ),
    answer: AnnotationJob,
    errors: [409],
    scope: 'annotation-job:create',
    effect: 'changes',
  }),
  annotation_jobs_images: operation({
    id: 'annotation_jobs_images',
    toolset: 'annotation',
    method: 'GET',
    path: '/{workspace}/{project}/jobs/{jobId}/images',
    summary: 'Images of a job in their order with what was decided.',
    pathParameters: inJob,
    query: closed({
      image: imageId.optional().describe('Only this one.'),
      limit: z.int().min(1).max(limits.annotationJobImagesMax).optional().describe('Default: all.'),
      offset: z.int().min(0).optional().describe('How many to leave out.'),
    }),
    answer: open({ job: AnnotationJob, images: z.array(JobImage) }),
    scope: 'annotation-job:read',
    effect: 'reads',
  }),
  annotation_jobs_label: operation({
    id: 'annotation_jobs_label',
    toolset: 'annotation',
    method: 'POST',
    path: '/{workspace}/{project}/jobs/{jobId}/images/{imageId}/labels',
    summary: 'Label an image in an independent job, apart from its own labels.',
    pathParameters: closed({ ...inJob.shape, imageId }),
    query: images.images_annotate.query.pick({ name: true, revision: true }),
    body: images.images_annotate.body,
    rawMember: 'annotationFile',
    bodyLimits: images.images_annotate.bodyLimits,
    answer: images.images_annotate.answer,
    errors: [409],
    scope: 'image:annotate',
    effect: 'changes',
  }),
  annotation_jobs_agreement: operation({
    id: 'annotation_jobs_agreement',
    toolset: 'annotation',
    method: 'GET',
    path: '/{workspace}/{project}/jobs/{jobId}/agreement',
    summary: 'How far people labelled the images of a job alike, image by image.',
    pathParameters: inJob,
    answer: open({ job: AnnotationJob, agreement: z.array(Agreement) }),
    scope: 'annotation-job:read',
    effect: 'reads',
  }),
  annotation_jobs_decide: operation({
    id: 'annotation_jobs_decide',
    toolset: 'annotation',
    method: 'POST',
    path: '/{workspace}/{project}/jobs/{jobId}/images/{imageId}',
    summary: 'Approve an image of a job, or send it back with a comment.',
    pathParameters: closed({ ...inJob.shape, imageId }),
    body: open({
      decision: z.enum(['approve', 'send_back']).describe('Labels stay with both.'),
      comment: text
        .min(1)
        .max(limits.reviewTextCharactersMax)
        .optional()
        .describe('Why it is sent back.'),
      decisions: z
        .int()
        .min(0)
        .describe('Those that were seen: 409 where somebody decided meanwhile.'),
      annotation_revision: z
        .string()
        .min(1)
        .max(64)
        .optional()
        .describe('That of the labels that were seen: 409 where they are others by now.'),
    }).refine(({ decision, comment }) => (decision === 'send_back') === (comment !== undefined), {
      path: ['comment'],
      error: 'is required with send_back, and says why; with approve there is none',
    }),
    answer: open({ job: AnnotationJob, image: JobImage }),
    errors: [409],
    scope: 'annotation-job:create',
    effect: 'changes',
  }),
};

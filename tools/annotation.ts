// Tools of the annotation toolset: labeling by people and by models.

import { annotation } from '../src/contract/annotation.ts';
import type { Answer } from '../src/contract/operation.ts';
import { fromOperation } from '../src/mcp/operation-tool.ts';
import type { Tool } from '../src/mcp/tool.ts';
import { createJobTool } from './annotation/create-job.ts';
import { reviewTool } from './annotation/review.ts';
import { confirmAutolabelCost } from './confirmation-prompts.ts';
import { jobWork } from './follow-up-calls.ts';
import { count, nameList, quoted } from './format.ts';

export const annotationTools: readonly Tool[] = [
  fromOperation(annotation.annotation_jobs_list, {
    title: 'List annotation jobs',
    description: 'Lists annotation jobs of a project: labeler, reviewer, images done.',
    summarize: ({ jobs }) => `${count(jobs.length, 'annotation job')}.`,
  }),
  createJobTool,
  reviewTool,
  fromOperation(annotation.annotation_jobs_get, {
    title: 'Get annotation job',
    description: 'Describes one annotation job: people, progress, agreement with independent jobs.',
    summarize: (job, { jobId }) => {
      const state = job.status === undefined ? '' : ` is ${quoted(job.status)}`;
      return `Job ${quoted(jobId)}${state}: ${progressOf(job)}.${agreementWords(job)}${openWords(job)}`;
    },
    next: ({ agreement = [], openJob }, { workspace, project }) => {
      const images = [
        ...new Set(agreement.flatMap(({ disagreements }) => disagreements.map(({ id }) => id))),
      ];
      if (images.length === 0) return [];
      if (openJob !== undefined) {
        const why = 'A person goes on with the open job that has these.';
        const asked = { workspace, project, job: openJob };
        return [{ tool: 'annotation_review', arguments: asked, why }];
      }
      const why = 'A person decides what is true in these.';
      return [{ tool: 'annotation_review', arguments: { workspace, project, images }, why }];
    },
  }),
  fromOperation(annotation.autolabel_start, {
    title: 'Start Auto Label',
    description:
      'Lets a model label the images of a batch, in the background. batches_list has the id, autolabel_get shows progress. Hosted platforms charge credits.',
    cost: confirmAutolabelCost,
    summarize: ({ jobId, leftOut = [] }) =>
      `Auto Label started${jobId === undefined ? '' : ` as job ${quoted(jobId)}`}.` +
      (leftOut.length === 0
        ? ''
        : ` Classes of the model that are not labelled: ${nameList(leftOut)}; ontology maps them.`),
    next: ({ jobId }, { workspace }) =>
      jobId === undefined
        ? []
        : [{ tool: 'autolabel_get', arguments: { workspace, jobId }, why: 'Shows how far it is.' }],
    work: (answer, { workspace }) => jobWork(workspace, answer.jobId, answer),
  }),
  fromOperation(annotation.autolabel_get, {
    title: 'Get Auto Label job',
    description: 'Tells how far an Auto Label job is, or why it failed.',
    summarize: ({ status, images, error }, { jobId }) => {
      const { total, labelled = 0 } = images ?? {};
      const far = total === undefined ? '' : `, ${labelled} of ${count(total, 'image')} labelled`;
      const state = status === undefined ? 'no status' : quoted(status);
      return `Auto Label job ${quoted(jobId)}: ${state}${far}${error ? '; see error' : ''}.`;
    },
    next: ({ status, annotationJobId, error }, { workspace, jobId }) => {
      if (error !== undefined || annotationJobId === undefined) return [];
      return status === 'completed'
        ? []
        : [{ tool: 'autolabel_get', arguments: { workspace, jobId }, why: 'It goes on.' }];
    },
  }),
];

/** An image that was sent back is not done, annotated or not. */
function progressOf(job: Answer<typeof annotation.annotation_jobs_get>): string {
  const { numImages = 0, unannotated = numImages, approved = 0, rejected = 0 } = job;
  const decided = approved + rejected;
  if (numImages === 0) return 'none of its images is there any more';
  if (decided === 0) return `${numImages - unannotated} of ${count(numImages, 'image')} annotated`;
  const open = numImages - decided;
  const undecided = open > 0 ? `, ${open} undecided` : '';
  return `of ${count(numImages, 'image')}, ${approved} approved, ${rejected} sent back${undecided}`;
}

/** Disagreements are left out until then. */
function openWords(job: Answer<typeof annotation.annotation_jobs_get>): string {
  const { agreement = [], independent = false, unannotated = 0 } = job;
  if (!independent || unannotated === 0 || agreement.length === 0) return '';
  return ' In which images they differ is told once all are labelled.';
}

const comparedWords: Readonly<Record<string, string>> = {
  masks: ' of masks',
  boxes: ' of boxes only',
  masks_and_boxes: ' of masks, of boxes where there is no outline',
};

function agreementWords({ agreement = [] }: Answer<typeof annotation.annotation_jobs_get>): string {
  return agreement
    .map(({ with: other, images, f1, cohens_kappa: kappa, compared_by: by = '' }) => {
      const whom = other === 'labels' ? 'the labels of the images' : `job ${quoted(other)}`;
      const classes = kappa === undefined ? '' : `, Cohen's kappa of the classes ${kappa}`;
      const agrees = f1 === 0 ? 'agrees with none of' : 'agrees with';
      const what = f1 === 0 && other !== 'labels' ? `${agrees} the labels of` : agrees;
      const figure = `F1 ${f1} at IoU 0.5${comparedWords[by] ?? ''}`;
      return ` On ${count(images, 'image')} it ${what} ${whom}: ${figure}${classes}.`;
    })
    .join('');
}

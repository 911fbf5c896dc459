// annotation_jobs_create: the first images of a batch, or those of ids or of a query.

import * as z from 'zod';
import { annotation, annotationExtensions } from '../../src/contract/annotation.ts';
import { check, withoutNulls } from '../../src/contract/check.ts';
import { FoveaError, invalidArgument } from '../../src/errors.ts';
import { limits } from '../../src/limits.ts';
import { toolFor } from '../../src/mcp/operation-tool.ts';
import { isOwnPlatform, type Tool, type ToolContext, type ToolResult } from '../../src/mcp/tool.ts';
import { count, lastPart, quoted } from '../format.ts';
import {
  checkSelection,
  describeSelection,
  selectImages,
  selectionArguments,
} from '../images/image-selection.ts';
import { reviewWay } from '../review-way.ts';
import { dryRunOfJob } from './dry-run.ts';

const { annotation_jobs_create: ofBatch } = annotation;
const { annotation_jobs_create_for_images: ofImages } = annotationExtensions;
const { name, batch, num_images, labelerEmail, reviewerEmail } = ofBatch.body.shape;

const input = z.strictObject({
  ...ofBatch.pathParameters.shape,
  name,
  labelerEmail,
  reviewerEmail,
  batch: batch.optional(),
  num_images: num_images.optional(),
  images: ofImages.body.shape.images.optional(),
  independent: ofImages.body.shape.independent,
  ...selectionArguments,
});

type JobInput = z.output<typeof input>;

const createJob = toolFor(ofBatch, {
  title: 'Create annotation job',
  description:
    'Gives images to a member to label and another to review: the first of a batch (batches_list), or (embedded) of ids or a query. For a model: autolabel_start.',
  input,
  run: (wanted, context) =>
    wanted.batch === undefined ? giveChosen(wanted, context) : giveOfBatch(wanted, context),
});

export const createJobTool: Tool = {
  ...createJob,
  prepare: (args: unknown) => {
    checkWays(check(input, withoutNulls(input, args)));
    return createJob.prepare(args);
  },
};

function checkWays({ batch, num_images, images, independent, query, dry_run }: JobInput): void {
  const ways = [batch, images, query].filter((way) => way !== undefined);
  if (ways.length !== 1) throw invalidArgument('batch', 'give one of batch, images, query');
  if (batch !== undefined && num_images === undefined) {
    throw invalidArgument('num_images', 'says how many images of the batch: batches_list counts');
  }
  if (batch !== undefined && independent !== undefined) {
    throw invalidArgument('independent', 'goes with images or query: batch:ID is a query');
  }
  if (images !== undefined && num_images !== undefined) {
    throw invalidArgument('num_images', 'goes with batch or query');
  }
  checkSelection({ images, query, dry_run });
}

async function giveOfBatch(wanted: JobInput, { client, signal }: ToolContext): Promise<ToolResult> {
  const { batch = '', num_images = 1 } = wanted;
  const job = jobOf(wanted);
  const { body } = await client.call(ofBatch, { ...job, batch, num_images }, { signal });
  return given(job.labelerEmail, num_images, body);
}

async function giveChosen(wanted: JobInput, context: ToolContext): Promise<ToolResult> {
  const { client, signal, settings } = context;
  const { images, query, dry_run } = wanted;
  const job = jobOf(wanted);
  if (!isOwnPlatform(settings)) throw ofBatchAlone(query === undefined ? 'images' : 'query');
  const { workspace, project } = job;
  const selection = query === undefined ? undefined : { workspace, project, query };
  const found = selection && (await selectImages(selection, context));
  if (found?.ids.length === 0) return describeSelection(found);
  if (found && dry_run === true) return dryRunOfJob(found, wanted, context);
  const ids = (found?.ids ?? images ?? []).slice(0, wanted.num_images);
  if (ids.length > limits.annotationJobImagesMax) throw tooMany(ids.length);
  const { independent } = wanted;
  const sent = { ...job, images: [...ids], ordered: found?.isOrdered, independent };
  const { body } = await client.call(ofImages, sent, { signal });
  const answer = given(job.labelerEmail, body.numImages ?? ids.length, body);
  if (body.id === undefined) return answer;
  const asked = { project: lastPart(project), jobId: body.id, assignedTo: job.labelerEmail };
  const way = await reviewWay(asked, context);
  return {
    ...answer,
    summary: `${answer.summary} Tell them to ${way.words}.`,
    data: { ...body, ...way.data },
  };
}

function jobOf({ workspace, project, name, labelerEmail, reviewerEmail }: JobInput) {
  return { workspace, project, name, labelerEmail, reviewerEmail };
}

function given(
  labeler: string,
  images: number,
  job: { readonly id?: string | undefined; readonly annotated?: number | undefined },
): ToolResult {
  const named = job.id === undefined ? '' : ` as job ${quoted(job.id)}`;
  const { annotated = 0 } = job;
  const labelled =
    annotated > 0 ? ` ${count(annotated, 'image is', 'images are')} labelled: for the review.` : '';
  return {
    summary: `Gave ${count(images, 'image')} to ${quoted(labeler)}${named}.${labelled}`,
    data: { ...job },
  };
}

function ofBatchAlone(argument: string): FoveaError {
  return invalidArgument(
    argument,
    'a hosted platform gives a job the first images of a batch alone: use batch and num_images',
  );
}

function tooMany(images: number): FoveaError {
  const most = limits.annotationJobImagesMax;
  const message = `query: finds ${images} images; a job takes at most ${most}. No job was made.`;
  return new FoveaError('too_large', message, {
    hint: 'Narrow it, for example by split:, batch: or class:, and make several jobs.',
  });
}

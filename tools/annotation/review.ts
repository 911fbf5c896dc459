// annotation_review: a person is asked to look at images, and tasks_wait tells what they decided.

import * as z from 'zod';
import { reviews } from '../../src/contract/annotation.ts';
import { check, withoutNulls } from '../../src/contract/check.ts';
import type { Answer } from '../../src/contract/operation.ts';
import { FoveaError, invalidArgument } from '../../src/errors.ts';
import { limits } from '../../src/limits.ts';
import { toolFor } from '../../src/mcp/operation-tool.ts';
import type { Tool, ToolContext, ToolResult } from '../../src/mcp/tool.ts';
import { taskWork, waitForTask } from '../follow-up-calls.ts';
import { count, quoted } from '../format.ts';
import { describeSelection, selectImages, selectionArguments } from '../images/image-selection.ts';
import { reviewWay } from '../review-way.ts';

const { annotation_review: operation } = reviews;

const { images, job, instructions, assignedTo } = operation.body.shape;

const input = z.strictObject({
  ...operation.pathParameters.shape,
  images: images.describe('Ids of the images, in their order.'),
  query: selectionArguments.query,
  job,
  instructions,
  assignedTo,
});

type ReviewInput = z.output<typeof input>;

const review = toolFor(operation, {
  title: 'Ask a person',
  description:
    'Asks a person to correct labels in the browser and approve each image or send it back. Tell them the way in the answer; tasks_wait then tells what they decided and changed.',
  app: 'labelling',
  input,
  run: askForReview,
});

export const reviewTool: Tool = {
  ...review,
  embeddedOnly: true,
  prepare: (args: unknown) => {
    const { images, query, job } = check(input, withoutNulls(input, args));
    const ways = [images, query, job].filter((way) => way !== undefined);
    if (ways.length !== 1) throw invalidArgument('images', 'give one of images, query, job');
    return review.prepare(args);
  },
};

async function askForReview(wanted: ReviewInput, context: ToolContext): Promise<ToolResult> {
  const { query, ...rest } = wanted;
  const { workspace, project } = wanted;
  const selection = query === undefined ? undefined : { workspace, project, query };
  const found = selection && (await selectImages(selection, context));
  if (found?.ids.length === 0) return describeSelection(found);
  const most = limits.annotationJobImagesMax;
  if (found && found.ids.length > most) throw tooMany(found.ids.length);
  const { client, signal } = context;
  const ordered = found ? found.isOrdered : wanted.images && true;
  const sent = { ...rest, ordered, ...(found && { images: [...found.ids] }) };
  const { body } = await client.call(operation, sent, { signal });
  const { taskId, jobId, undecided, assignedTo, replaced } = body;
  const way = await reviewWay({ project, jobId, assignedTo }, context);
  const person = assignedTo === undefined ? 'a person' : quoted(assignedTo);
  const order = found?.isWorstFirst ? ', the worst first' : '';
  return {
    summary: `${count(undecided, 'image')} of ${quoted(project)} wait for ${person}${order}: tell them to ${way.words}.${replacedWords(replaced)}`,
    data: { ...body, ...way.data },
    forPage: { address: `#${body.page}` },
    next: [waitForTask(workspace, taskId)],
    work: taskWork(workspace, taskId),
  };
}

/** Who asked before may still count on it. */
function replacedWords(replaced: Answer<typeof operation>['replaced']): string {
  if (replaced === undefined) return '';
  const { assignedTo, instructions } = replaced;
  const parts = [
    ...(assignedTo === undefined ? [] : [`the person asked before (${quoted(assignedTo)})`]),
    ...(instructions === undefined ? [] : ['the earlier instructions']),
  ];
  return ` This replaced ${parts.join(' and ')}: "replaced" has what the job said, to give it back.`;
}

function tooMany(images: number): FoveaError {
  const most = limits.annotationJobImagesMax;
  const message = `query: finds ${images} images; a review takes at most ${most}. Nobody was asked.`;
  return new FoveaError('too_large', message, {
    hint: 'Narrow it, for example by split:, batch: or class:, and ask in several parts.',
  });
}

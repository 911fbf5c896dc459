// Tools of the video family.

import type { Answer } from '../src/contract/operation.ts';
import { video } from '../src/contract/video.ts';
import { fromOperation, type Tool } from '../src/mcp/tool.ts';
import { count, quoted } from './words.ts';

export const videoTools: readonly Tool[] = [
  fromOperation(video.video_upload_url_create, {
    title: 'Create video upload URL',
    description:
      'Use this when a video has no public URL: returns a URL to which its bytes are PUT.',
    summarize: (_answer, { file_name }) => `Upload URL for ${quoted(file_name)}.`,
  }),
  fromOperation(video.video_inference_start, {
    title: 'Run models on video',
    description: 'Use this to run models on a video in the background; gives a job id.',
    project: (answer) => ({ job_id: jobIdOf(answer) }),
    summarize: (answer, { models }) =>
      `Job ${quoted(jobIdOf(answer))} runs ${count(models.length, 'model')} on the video.`,
    next: (answer) => [
      {
        tool: 'video_inference_get',
        arguments: { job_id: jobIdOf(answer) },
        why: 'Shows how far it is; at most once a minute.',
      },
    ],
  }),
  fromOperation(video.video_inference_get, {
    title: 'Get video job',
    description: 'Use this to get the result link; ask at most once a minute.',
    summarize: ({ status }, { job_id }) => `Video job ${quoted(job_id)} ${stateOf(status)}.`,
  }),
];

function jobIdOf(answer: Answer<typeof video.video_inference_start>): string {
  return typeof answer === 'string' ? answer : answer.job_id;
}

/** First document, Video inference job status. */
function stateOf(status: number | undefined): string {
  if (status === 0) return 'is done; output_signed_url is its result';
  return status === undefined || status === 1 ? 'is still running' : 'has failed';
}

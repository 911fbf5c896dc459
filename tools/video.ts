// Tools of the video toolset.

import type { Answer } from '../src/contract/operation.ts';
import { video } from '../src/contract/video.ts';
import { fromOperation } from '../src/mcp/operation-tool.ts';
import type { Tool } from '../src/mcp/tool.ts';
import { count, quoted } from './format.ts';

const { video_inference_start: start } = video;

export const videoTools: readonly Tool[] = [
  fromOperation(video.video_upload_url_create, {
    title: 'Create video upload URL',
    description:
      'Gives a URL to which a video is PUT. video_inference_start then takes that URL as input_url.',
    repeated: 'made',
    givesSecret: true,
    summarize: (_answer, { file_name }) => `Upload URL for ${quoted(file_name)}.`,
  }),
  fromOperation(start, {
    title: 'Run models on video',
    description:
      'Runs detection models on a video, in the background. video_inference_get has the result. For one image use inference_run.',
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
    description:
      'Tells whether a video job is done, and gives the link of its result. Ask at most once a minute.',
    summarize: ({ status }, { job_id }) => `Video job ${quoted(job_id)} ${stateOf(status)}.`,
  }),
];

function jobIdOf(answer: Answer<typeof start>): string {
  return typeof answer === 'string' ? answer : answer.job_id;
}

/** API 8.5 to 8.7. */
function stateOf(status: number | undefined): string {
  if (status === 0) return 'is done; output_signed_url is its result';
  return status === undefined || status === 1 ? 'is still running' : 'has failed';
}

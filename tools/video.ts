// Tools of the video toolset.

import { images } from '../src/contract/images.ts';
import { video } from '../src/contract/video.ts';
import { fromOperation, toolFor } from '../src/mcp/operation-tool.ts';
import type { Tool } from '../src/mcp/tool.ts';
import { quoted } from './format.ts';
import { getInput, getVideoJob } from './video/get-result.ts';
import { startInput, startVideoJob } from './video/start-job.ts';
import { framesInput, uploadFrames } from './video/upload-frames.ts';

const { video_inference_start: start, video_inference_get: get } = video;

export const videoTools: readonly Tool[] = [
  fromOperation(video.video_upload_url_create, {
    title: 'Create video upload URL',
    description: 'Gives a URL to PUT a video to, for input_url.',
    repeated: 'made',
    givesSecret: true,
    summarize: (_answer, { file_name }) => `Upload URL for ${quoted(file_name)}.`,
  }),
  toolFor(start, {
    title: 'Run models on video',
    description:
      'Runs detection models on a video, in the background. video_inference_get has the result.',
    fileArguments: ['file'],
    input: startInput,
    run: startVideoJob,
  }),
  toolFor(get, {
    title: 'Get video job',
    description:
      'Tells whether a video job is done, what it found and which events that makes. Ask once a minute.',
    // It writes a file here.
    effect: 'adds',
    idempotent: true,
    fileArguments: ['save_to'],
    input: getInput,
    run: getVideoJob,
  }),
  toolFor(images.images_upload, {
    name: 'video_frames_upload',
    toolset: 'video',
    title: 'Upload frames of video',
    description: 'Uploads frames of a video or device event to a project, in order.',
    usesFiles: true,
    input: framesInput,
    run: uploadFrames,
  }),
];

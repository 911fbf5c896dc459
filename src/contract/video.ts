// Video inference. These operations take the API key as a query parameter.

import * as z from 'zod';
import { limits } from '../limits.ts';
import { closed, open } from './fields.ts';
import { operation } from './operation.ts';

const inferenceTypes = [
  'object-detection',
  'classification',
  'instance-segmentation',
  'keypoint-detection',
  'clip-embed-image',
  'gaze-detection',
] as const;

export const video = {
  video_upload_url_create: operation({
    id: 'video_upload_url_create',
    toolset: 'video',
    method: 'POST',
    path: '/video_upload_signed_url/',
    summary: 'A URL to which a video can be uploaded.',
    body: open({
      file_name: z.string().min(1).max(500).describe('Name of the video with extension.'),
    }),
    answer: open({
      signed_url: z.string().optional().describe('For one PUT of the bytes.'),
      expires: z.string().optional(),
    }),
    credential: 'api_key_query',
    scope: 'video-inference-job:create',
    effect: 'adds',
  }),
  video_inference_start: operation({
    id: 'video_inference_start',
    toolset: 'video',
    method: 'POST',
    path: '/videoinfer/',
    summary: 'Run models on a video.',
    body: open({
      input_url: z
        .string()
        .min(1)
        .max(limits.urlCharactersMax)
        .describe('URL of the video: a public one, or that of video_upload_url_create.'),
      infer_fps: z
        .number()
        .gt(0)
        .max(120)
        .optional()
        .describe('Frames of a second to look at; default 5.'),
      models: z
        .array(
          open({
            model_id: z
              .string()
              .min(1)
              .max(limits.foreignIdCharactersMax)
              .describe('Project slug of the model.'),
            model_version: z
              .string()
              .min(1)
              .max(limits.foreignIdCharactersMax)
              .describe('Version number, as text.'),
            inference_type: z.enum(inferenceTypes),
            inference_params: open({}).optional(),
          }),
        )
        .min(1)
        .describe('The models to run.'),
    }),
    answer: z.union([
      z.string().describe('Job id.'),
      open({ job_id: z.string().describe('Job id.') }),
    ]),
    credential: 'api_key_query',
    scope: 'video-inference-job:create',
    effect: 'adds',
    longRunning: true,
  }),
  video_inference_get: operation({
    id: 'video_inference_get',
    toolset: 'video',
    method: 'GET',
    path: '/videoinfer/',
    summary: 'Status of a video job; at most once a minute.',
    query: closed({ job_id: z.string().min(1).describe('The job_id of video_inference_start.') }),
    answer: open({
      status: z.int().optional().describe('0 done, 1 running, more: failed. Absent: running.'),
      error: z.string().optional().describe('Why it failed.'),
      output_signed_url: z.string().optional().describe('Download link of the result.'),
    }),
    credential: 'api_key_query',
    scope: 'video-inference-job:read',
    effect: 'reads',
    intervalMs: limits.videoStatusIntervalMs,
  }),
};

/** Of the embedded platform; not in the hosted API. */
export const videoExtensions = {
  video_inference_sheet: operation({
    id: 'video_inference_sheet',
    toolset: 'video',
    host: 'local',
    method: 'GET',
    path: '/previews/videos',
    summary: 'Frames of a video that a job has run, with what was found in them, as one picture.',
    query: video.video_inference_get.query,
    answer: open({
      sheet: z.string().describe('The picture as base64.'),
      contentType: z.string(),
    }),
    scope: 'video-inference-job:read',
    effect: 'reads',
  }),
};

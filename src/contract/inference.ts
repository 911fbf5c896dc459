// Inference with deployed models, in the format of the hosted platform.

import * as z from 'zod';
import { closed, open, project } from './fields.ts';
import { filePart, operation } from './operation.ts';

const share = z
  .number()
  .min(0)
  .max(100)
  .refine((value) => value <= 1 || Number.isInteger(value), {
    error: 'must be a share from 0 to 1, or a whole number of percent',
  });

/** x and y are the centre of a box, in pixels of the stored image. */
const Prediction = open({
  x: z.number(),
  y: z.number(),
  width: z.number(),
  height: z.number(),
  confidence: z.number(),
  class: z.string(),
  class_id: z.int().optional(),
  detection_id: z.string().optional(),
});

export const inference = {
  /** Not in the documented API; the format is that of the hosted platform's inference. */
  inference_run: operation({
    id: 'inference_run',
    toolset: 'inference',
    host: 'serverless',
    method: 'POST',
    path: '/{project}/{version}',
    idleQuery: { format: /^json$/, name: /./, stroke: /^\d+$/, labels: /^(true|false)$/ },
    summary: 'Run a trained, the deployed or the local detection model on an image.',
    pathParameters: closed({
      project,
      version: z
        .string()
        .regex(/^([1-9]\d{0,8}|[0-9a-f]{20}|deployed|local)$/, {
          error: 'must be the number of a version, the id of a training, "deployed" or "local"',
        })
        .describe('Version number, training id, "deployed" or "local".'),
    }),
    query: closed({
      image: z.string().min(1).optional().describe('URL of the image.'),
      confidence: share.optional().describe('0 to 1, default 0.4; above 1: percent.'),
      overlap: share
        .optional()
        .describe('Most overlap of boxes of a class; default 0.5; above 1: percent.'),
      classes: z.string().min(1).optional().describe('Only these classes, comma-separated.'),
    }),
    body: open({ file: filePart.optional() }),
    bodyType: 'multipart',
    rawMember: 'file',
    answer: open({
      inference_id: z.string().optional(),
      time: z.number().optional(),
      image: open({ width: z.number(), height: z.number() }).optional(),
      predictions: z.array(Prediction).optional(),
    }),
    errors: [409, 413, 415, 501, 502, 504],
    scope: 'model:infer',
    effect: 'adds',
  }),
};

// Inference with deployed models, in the format of the hosted platform.

import * as z from 'zod';
import { limits } from '../limits.ts';
import { closed, open, project } from './fields.ts';
import { filePart, operation } from './operation.ts';

const share = z
  .number()
  .min(0)
  .max(100)
  .refine((value) => value <= 1 || Number.isInteger(value), {
    error: 'must be a share from 0 to 1, or a whole number of percent',
  });

const Corner = open({ x: z.number(), y: z.number() });

/** x and y are the centre of a box, in pixels of the stored image; a class of it has none. */
const Prediction = open({
  x: z.number().optional(),
  y: z.number().optional(),
  width: z.number().optional(),
  height: z.number().optional(),
  confidence: z.number(),
  class: z.string(),
  class_id: z.int().optional(),
  detection_id: z.string().optional(),
  points: z.array(Corner).optional().describe('Outline of the object, one ring.'),
  keypoints: z
    .array(
      Corner.extend({
        confidence: z.number().optional().describe('How sure it is that it can be seen.'),
        class_id: z.int().optional(),
        class: z.string(),
      }),
    )
    .optional(),
});

/** A box to draw: x and y are its centre, in pixels of its image. */
const DrawnBox = open({
  label: z.string().max(limits.foreignIdCharactersMax),
  x: z.number(),
  y: z.number(),
  width: z.number().min(0),
  height: z.number().min(0),
  confidence: z.number().optional(),
  points: z
    .array(z.tuple([z.number(), z.number()]))
    .max(2 * limits.maskDrawnColumnsMax)
    .optional()
    .describe('Its outline.'),
  keypoints: z.array(Corner).max(limits.modelKeypointsMax).optional().describe('Those seen.'),
});

const drawnBoxes = z.array(DrawnBox).max(limits.drawnBoxesMax);

export const inference = {
  /** Not in the documented API; the format is that of the hosted platform's inference. */
  inference_run: operation({
    id: 'inference_run',
    toolset: 'inference',
    host: 'serverless',
    method: 'POST',
    path: '/{project}/{version}',
    idleQuery: { format: /^json$/, name: /./, stroke: /^\d+$/, labels: /^(true|false)$/ },
    summary: 'Run a trained, the deployed or the local model on an image.',
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
      confidence: share.optional().describe("Default: the model's, else 0.4; above 1: percent."),
      overlap: share
        .optional()
        .describe('Most overlap of boxes of a class; default likewise, else 0.5.'),
      classes: z.string().min(1).optional().describe('Only these classes, comma-separated.'),
    }),
    body: open({ file: filePart.optional() }),
    bodyType: 'multipart',
    rawMember: 'file',
    answer: open({
      inference_id: z.string().optional(),
      time: z.number().optional(),
      image: open({ width: z.number(), height: z.number() }).optional(),
      predictions: z
        .union([
          z.array(Prediction),
          z.record(z.string(), open({ confidence: z.number(), class_id: z.int().optional() })),
        ])
        .optional()
        .describe('By class where an image has several.'),
      more_found: z.boolean().optional().describe('Only the surest are in `predictions`.'),
      without_outline: z.int().optional().describe('Boxes for which the masks are too coarse.'),
      cut_outlines: z
        .int()
        .optional()
        .describe('Outlines that leave out holes or pieces of their masks.'),
      top: z.string().optional().describe('The most probable class of an image.'),
      confidence: z.number().optional().describe('Of `top`.'),
      predicted_classes: z
        .array(z.string())
        .optional()
        .describe('Those from `confidence` on, where an image has several.'),
    }),
    errors: [409, 413, 415, 501, 502, 504],
    scope: 'model:infer',
    effect: 'adds',
  }),
  /** Of the embedded platform; keeps nothing of what is sent. */
  inference_draw: operation({
    id: 'inference_draw',
    toolset: 'inference',
    host: 'local',
    method: 'POST',
    path: '/previews/detections',
    summary: 'A contact sheet of images that are sent along, with boxes that were found in them.',
    body: closed({
      images: z.array(filePart).min(1).max(limits.previewSourcesMax).describe('Image files.'),
      title: z.string().min(1).max(200).describe('Of the sheet.'),
      drawn: z
        .array(
          open({
            name: z.string().max(500).describe('Title of the image.'),
            found: drawnBoxes.describe('Boxes of a model.'),
            labelled: drawnBoxes.optional().describe('True boxes; absent: not known.'),
          }),
        )
        .min(1)
        .describe('What is drawn on each image, in their order.'),
    }),
    bodyType: 'multipart',
    answer: open({
      sheet: z.string().describe('The contact sheet as base64.'),
      contentType: z.string(),
      width: z.int().describe('Of the sheet, in pixels.'),
      height: z.int(),
    }),
    errors: [413, 415],
    scope: 'model:infer',
    effect: 'reads',
  }),
};

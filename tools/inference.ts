// Tools of the inference toolset: running a model on an image.

import * as z from 'zod';
import { inference } from '../src/contract/inference.ts';
import type { Answer } from '../src/contract/operation.ts';
import { invalidArgument } from '../src/errors.ts';
import { toolFor } from '../src/mcp/operation-tool.ts';
import type { Tool } from '../src/mcp/tool.ts';
import { asGiven, count, tally } from './format.ts';
import { openPart } from './local-file.ts';

const { inference_run: run } = inference;
const { project } = run.pathParameters.shape;
const { image, confidence, overlap, classes } = run.query.shape;

const input = z.strictObject({
  project,
  // Some models send numbers as strings.
  version: z.coerce
    .string()
    .optional()
    .describe('Version number of a trained model, or "local"; default: the deployed model.'),
  file: z.string().min(1).optional().describe('Path of a local image.'),
  url: image.describe('In place of file: URL of an image.'),
  confidence,
  overlap,
  classes,
});

export const inferenceTools: readonly Tool[] = [
  toolFor(run, {
    title: 'Run model',
    description:
      'Runs a detection model on one image and gives its boxes: x and y are the centre, in pixels. Uses the deployed model, another version, or the local model. For a video use video_inference_start.',
    fileArguments: ['file'],
    repeated: 'made',
    input,
    run: async ({ version: wanted = 'deployed', file, url, ...rest }, context) => {
      const { client, signal } = context;
      if ((file === undefined) === (url === undefined)) {
        throw invalidArgument('file', 'give either file or url');
      }
      const source =
        file === undefined
          ? { ...(url !== undefined && { image: url }) }
          : { file: await openPart(file, 'file', context) };
      const call = { ...rest, ...source, version: wanted };
      const { body } = await client.call(run, call, { signal });
      const { predictions = [], ...facts } = body;
      const counts = new Map<string, number>();
      for (const { class: name } of predictions) counts.set(name, (counts.get(name) ?? 0) + 1);
      const found = predictions.length === 0 ? '' : ` (${tally(Object.fromEntries(counts))})`;
      const summary = `Found ${count(predictions.length, 'object')}${found} in ${asGiven(file ?? url ?? '')}.`;
      return { summary, data: { ...facts, predictions: predictions.map(inShort) } };
    },
  }),
];

type Prediction = NonNullable<Answer<typeof run>['predictions']>[number];

/** More digits, and an id that nothing takes, would be half of the answer. */
function inShort({ detection_id: _, ...prediction }: Prediction) {
  const { x, y, width, height, confidence } = prediction;
  const box = { x: rounded(x, 1), y: rounded(y, 1) };
  const size = { width: rounded(width, 1), height: rounded(height, 1) };
  return { ...prediction, ...box, ...size, confidence: rounded(confidence, 3) };
}

function rounded(figure: number, digits: number): number {
  return Number(figure.toFixed(digits));
}

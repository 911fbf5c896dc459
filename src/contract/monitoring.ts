// Statistics of inferences, and metadata of their records.

import * as z from 'zod';
import { limits } from '../limits.ts';
import { closed, inWorkspace, open, text } from './fields.ts';
import { operation } from './operation.ts';

/** These two parameters are not ISO 8601. */
const time = z.string().regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/, {
  error: 'must be written as YYYY-MM-DD HH:mm:ss',
});

const figure = z.number().nullable().optional();

export const monitoring = {
  inference_stats_get: operation({
    id: 'inference_stats_get',
    toolset: 'monitoring',
    method: 'GET',
    path: '/{workspace}/inference-stats',
    summary: 'Number, errors, confidence and speed of inferences.',
    pathParameters: inWorkspace,
    query: closed({
      startTime: time.optional().describe('From, as YYYY-MM-DD HH:mm:ss.'),
      endTime: time.optional().describe('Until, in the same form; default now.'),
      modelNames: z.string().min(1).optional().describe('Only these models, comma-separated.'),
    }),
    answer: open({
      num_inferences: figure,
      num_errors: figure,
      avg_confidence: figure,
      avg_response_time: figure,
      inference_stats: z.array(open({})).optional(),
      note: z.string().optional().describe('Why figures are left out.'),
    }),
    scope: 'workspace-stats:read',
    effect: 'reads',
  }),
  inference_stats_set_metadata: operation({
    id: 'inference_stats_set_metadata',
    toolset: 'monitoring',
    method: 'POST',
    path: '/{workspace}/inference-stats/metadata',
    idleQuery: { nocache: /^(true|false)$/ },
    summary: 'Attach metadata to records of inferences.',
    pathParameters: inWorkspace,
    body: open({
      data: z
        .array(
          open({
            inference_ids: z
              .array(z.string().min(1))
              .min(1)
              .describe('inference_id of answers of inference_run.'),
            field_name: text.min(1).max(limits.inferenceFieldCharactersMax),
            field_value: text.max(limits.inferenceValueCharactersMax),
          }),
        )
        .min(1)
        .describe('Facts, each about some inferences.'),
    }),
    answer: open({ status: z.string().optional() }),
    scope: 'model:infer',
    effect: 'changes',
  }),
};

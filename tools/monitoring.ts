// Tools of the monitoring toolset.

import { monitoring } from '../src/contract/monitoring.ts';
import { fromOperation } from '../src/mcp/operation-tool.ts';
import type { Tool } from '../src/mcp/tool.ts';
import { count } from './format.ts';

export const monitoringTools: readonly Tool[] = [
  fromOperation(monitoring.inference_stats_get, {
    title: 'Get inference statistics',
    description: 'How models do in use: number, errors, confidence, speed.',
    hiddenArguments: ['modelNames'],
    summarize: ({ num_inferences, num_errors }) =>
      `${count(num_inferences ?? 0, 'inference')}, ${count(num_errors ?? 0, 'error')}.`,
  }),
  fromOperation(monitoring.inference_stats_set_metadata, {
    title: 'Tag inference records',
    description: 'Attaches facts, e.g. the true result, to inferences.',
    summarize: (_answer, { data }) => `Set ${count(data.length, 'field')}.`,
  }),
];

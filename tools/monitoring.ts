// Tools of the monitoring toolset.

import { monitoring } from '../src/contract/monitoring.ts';
import { fromOperation } from '../src/mcp/operation-tool.ts';
import type { Tool } from '../src/mcp/tool.ts';
import { count } from './format.ts';

export const monitoringTools: readonly Tool[] = [
  fromOperation(monitoring.inference_stats_get, {
    title: 'Get inference statistics',
    description:
      'Tells how models do in use: number of inferences, errors, mean confidence and response time. For metrics of a training use models_list.',
    summarize: ({ num_inferences, num_errors }) =>
      `${count(num_inferences ?? 0, 'inference')}, ${count(num_errors ?? 0, 'error')}.`,
  }),
  fromOperation(monitoring.inference_stats_set_metadata, {
    title: 'Tag inference records',
    description: 'Attaches facts, for example the true result, to inferences that were run before.',
    summarize: (_answer, { data }) => `Set ${count(data.length, 'field')}.`,
  }),
];

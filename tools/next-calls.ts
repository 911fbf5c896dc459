// Calls that several families propose next.

import type { NextCall } from '../src/mcp/tool.ts';

export function waitForTask(workspace: string, taskId: string): NextCall {
  return { tool: 'tasks_wait', arguments: { workspace, taskId }, why: 'Waits until it is done.' };
}

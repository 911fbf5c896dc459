// Whoever finds a workspace empty may have deleted what was in it: the trash knows.

import { trash } from '../../src/contract/trash.ts';
import type { NextCall, ToolContext } from '../../src/mcp/tool.ts';
import { count } from '../format.ts';

/** How many projects can be restored; 0 also where the platform does not tell this caller. */
export async function countDeletedProjects(
  workspace: string,
  { client, signal }: Pick<ToolContext, 'client' | 'signal'>,
): Promise<number> {
  try {
    const { body } = await client.call(trash.trash_list, { workspace }, { signal });
    return body.items.filter(({ type }) => type === 'project').length;
  } catch {
    signal.throwIfAborted();
    return 0;
  }
}

/** ` 3 deleted projects can be restored: trash_list.`; empty where there are none. */
export function deletedProjectsWords(projects: number): string {
  return projects === 0
    ? ''
    : ` ${count(projects, 'deleted project')} can be restored: trash_list.`;
}

export function deletedProjectsCalls(projects: number, workspace: string): readonly NextCall[] {
  if (projects === 0) return [];
  return [{ tool: 'trash_list', arguments: { workspace }, why: 'Names them, for trash_restore.' }];
}

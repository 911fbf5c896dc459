// The tools that are offered over HTTP.

import { type ListedTool, withoutLocalFiles } from '../tool-list.ts';

/**
 * Toolsets that belong to the machine of the server: its sign-in, its health, and its Event Store,
 * which has one key and no users.
 */
const localToolsets: ReadonlySet<string> = new Set(['auth', 'doctor', 'events']);

/** The tools that need neither files nor services of this machine. */
export function toolsOverHttp(list: readonly ListedTool[]): readonly ListedTool[] {
  return withoutLocalFiles(list).filter(({ toolset }) => !localToolsets.has(toolset));
}

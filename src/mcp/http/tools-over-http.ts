// The part of the tools that hosts get over HTTP.

import { type ListedTool, withoutLocalFiles } from '../tool-list.ts';

/**
 * Families that belong to the machine of the server: its sign-in, its health, and its Event Store,
 * which has one key and knows no users.
 */
const localToolsets: ReadonlySet<string> = new Set(['auth', 'doctor', 'events']);

/** The tools that need no files of this machine, and belong to whoever calls. */
export function toolsOverHttp(list: readonly ListedTool[]): readonly ListedTool[] {
  return withoutLocalFiles(list).filter(({ toolset }) => !localToolsets.has(toolset));
}

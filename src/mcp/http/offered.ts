// The part of the tools that hosts get over HTTP.

import { type ListedTool, withoutFiles } from '../surface.ts';

/**
 * Families that belong to the machine of the server: its sign-in, its health, and its Event Store,
 * which has one key and knows no users.
 */
const localFamilies: ReadonlySet<string> = new Set(['auth', 'doctor', 'events']);

/** The tools that need no files of this machine, and belong to whoever calls. */
export function offeredOverHttp(list: readonly ListedTool[]): readonly ListedTool[] {
  return withoutFiles(list).filter(({ family }) => !localFamilies.has(family));
}

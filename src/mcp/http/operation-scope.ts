// The scope that a request needs: that of the operation it reaches, by whichever way.

import type { ListedTool, ToolListSettings } from '../tool-list.ts';
import { resolveOperation } from '../tool-profiles.ts';

/** What a message of the protocol reaches, not checked yet. */
export type RequestedOperation =
  | {
      readonly kind: 'call';
      readonly name: string;
      readonly args: Readonly<Record<string, unknown>>;
    }
  /** A resource or a task, which is read as that tool reads it: the surface is for calls alone. */
  | { readonly kind: 'reading'; readonly tool: string };

export type ScopeOf = (reached: RequestedOperation) => string | undefined;

/**
 * Looks through calls by the very function that makes them. Undefined: the tool needs none, or
 * nothing runs, since the call reaches no operation and will be answered with what is wrong.
 */
export function createScopeOf(list: readonly ListedTool[], settings: ToolListSettings): ScopeOf {
  const listed = new Map(list.map((tool) => [tool.name, tool]));
  return (reached) => {
    const name = operationOf(reached, listed, settings);
    return name === undefined ? undefined : listed.get(name)?.scope;
  };
}

function operationOf(
  reached: RequestedOperation,
  listed: ReadonlyMap<string, ListedTool>,
  settings: ToolListSettings,
): string | undefined {
  if (reached.kind === 'reading') return reached.tool;
  try {
    return resolveOperation(reached.name, reached.args, listed, settings).name;
  } catch {
    return undefined;
  }
}

// What was called that changes something, so that nothing is done twice without being meant.

import type { Tool, ToolContext, ToolResult } from '../tool.ts';
import type { Arguments } from '../tool-profiles.ts';

/** One call, before it is made. */
export interface IdempotentCall {
  readonly tool: Tool;
  /** After the defaults of the settings. */
  readonly args: Arguments;
  /** Who calls: the same words for the same credential. */
  readonly principal: string;
  /** Given by the host for exactly this call; undefined: an equal call counts as the same one. */
  readonly key: string | undefined;
}

export interface Idempotency {
  /**
   * Makes a call, or gives what an equal one gave. Throws `conflict` where nobody can tell whether
   * an earlier equal call was done, and what the call itself throws.
   */
  run(
    call: IdempotentCall,
    context: ToolContext,
    make: () => Promise<ToolResult>,
  ): Promise<ToolResult>;
  close(): Promise<void>;
}

/** Whether a call whose answer was lost was done: read from the service. */
export type Reconciler = (
  args: Arguments,
  context: ToolContext,
  since: Date,
) => Promise<
  | { readonly state: 'done'; readonly result: ToolResult }
  | { readonly state: 'not-done' | 'unknown' }
>;

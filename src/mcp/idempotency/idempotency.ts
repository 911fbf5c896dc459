// Idempotency of calls that change something: an equal call does nothing twice unless it is meant.

import type { Tool, ToolContext, ToolResult } from '../tool.ts';
import type { Arguments } from '../tool-profiles.ts';

/** One call, before it is made. */
export interface IdempotentCall {
  readonly tool: Tool;
  /** After the defaults of the settings. */
  readonly args: Arguments;
  /** Who calls: the same text for the same credential. */
  readonly principal: string;
  /** The idempotency key of the host; undefined: equal arguments identify the call. */
  readonly key: string | undefined;
}

export interface Idempotency {
  /**
   * Looks for an equal earlier call, and waits while it runs. Throws `conflict` where the key
   * belongs to another call, and where it is unknown whether the earlier call was done.
   */
  identify(call: IdempotentCall, context: ToolContext): Promise<IdentifiedCall>;
  close(): Promise<void>;
}

export interface IdentifiedCall {
  /** What an equal earlier call gave; undefined: the call is to be made. */
  readonly recorded: ToolResult | undefined;
  /**
   * Makes the call under a record of its own; gives the result of an equal call that was made since
   * `identify`. Throws what the call itself throws, and as `identify`.
   */
  run(make: () => Promise<ToolResult>): Promise<ToolResult>;
}

/** Reads from the service whether a call whose answer was lost was done. */
export type Reconciler = (
  args: Arguments,
  context: ToolContext,
  since: Date,
) => Promise<
  | { readonly state: 'done'; readonly result: ToolResult }
  | { readonly state: 'not-done' | 'unknown' }
>;

// One point of the checklist.

import { asFoveaError } from '../../src/errors.ts';
import type { ToolContext } from '../../src/mcp/tool.ts';

export interface Check {
  readonly check: string;
  readonly ok: boolean;
  readonly detail: string;
  /** What to do about it; beside a check that is well, what might help. */
  readonly fix?: string;
}

/** A check that cannot be made is a finding too, and keeps no other from being made. */
export async function attempt(
  check: string,
  context: ToolContext,
  run: () => Promise<Omit<Check, 'check'>>,
): Promise<Check> {
  try {
    return { check, ...(await run()) };
  } catch (thrown) {
    context.signal.throwIfAborted();
    const { message, hint } = asFoveaError(thrown);
    return { check, ok: false, detail: message, ...(hint !== undefined && { fix: hint }) };
  }
}

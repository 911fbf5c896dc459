// One check of the doctor.

import { asFoveaError } from '../../src/errors.ts';
import type { ToolContext } from '../../src/mcp/tool.ts';

export interface Check {
  readonly check: string;
  readonly ok: boolean;
  readonly detail: string;
  /** The remedy of a failed check. */
  readonly fix?: string;
  /** An improvement where the check passed. */
  readonly advice?: string;
}

/** The outcome of a check; its name is that of its row. */
export type Finding = Omit<Check, 'check'>;

export type Run = (context: ToolContext) => Finding | Promise<Finding>;

/** A check that cannot be made is a finding too, and keeps no other from being made. */
export async function attempt(check: string, context: ToolContext, run: Run): Promise<Check> {
  try {
    return { check, ...(await run(context)) };
  } catch (thrown) {
    context.signal.throwIfAborted();
    const { message, hint } = asFoveaError(thrown);
    return { check, ok: false, detail: message, ...(hint !== undefined && { fix: hint }) };
  }
}

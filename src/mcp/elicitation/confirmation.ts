// Confirmation of calls that cannot be undone or that cost: by the person at the host where the
// host can ask, else by a parameter that the model gives.

import * as z from 'zod';
import type { Input, Operation } from '../../contract/operation.ts';
import { asFoveaError, invalidArgument } from '../../errors.ts';
import { asRecord } from '../../json-object.ts';
import {
  type ConfirmationPrompt,
  isOwnPlatform,
  type ToolContext,
  type ToolResult,
} from '../tool.ts';

export interface ConfirmationOptions<O extends Operation> {
  /** Asked for as the parameter `confirm`, and checked before anything is sent. */
  readonly confirmation?: ExactName<O>;
  /** What a call costs at another platform than ours, agreed to before anything is sent. */
  cost?(input: Input<O>, context: ToolContext): Promise<ConfirmationPrompt>;
}

/** The exact name of the target, asked for because the call cannot be undone. */
interface ExactName<O extends Operation> {
  /** Tells the model what to repeat: "Repeat keyId". */
  readonly description: string;
  /** The only value that lets the call through where the host cannot ask its user. */
  expected(input: Input<O>): string;
  /** What the user is asked where the host can ask; read from the service, so that it is true. */
  prompt(input: Input<O>, context: ToolContext): Promise<ConfirmationPrompt>;
}

/** The parameters by which a model says that the user wants the call. */
export function withConfirmationParameters<O extends Operation>(
  input: z.ZodObject,
  { confirmation, cost }: ConfirmationOptions<O>,
): z.ZodObject {
  return input.extend({
    ...(confirmation && { confirm: z.string().describe(confirmation.description) }),
    ...(cost && {
      accept_cost: z.boolean().optional().describe('true: the user agreed to the cost.'),
    }),
  });
}

/** The values of these parameters. */
export interface GivenConfirmation {
  readonly confirm?: unknown;
  readonly accept_cost?: unknown;
}

interface ConfirmableCall<O extends Operation> {
  readonly input: Input<O>;
  readonly given: GivenConfirmation;
  readonly context: ToolContext;
}

/**
 * Resolves once the call is confirmed. A result is given in place of the call: it says what the
 * call costs. Throws `invalid_input` for a wrong name, and what `Elicitation.confirm` throws.
 */
export async function confirmFirst<O extends Operation>(
  operation: O,
  { confirmation, cost }: ConfirmationOptions<O>,
  call: ConfirmableCall<O>,
): Promise<ToolResult | undefined> {
  const { input, given, context } = call;
  const { elicitation, settings } = context;
  const asked = { tool: operation.id, input: asRecord(input) };
  if (confirmation) {
    await checkName(confirmation, call);
    if (elicitation.canConfirm) {
      await elicitation.confirm(asked, () => confirmation.prompt(input, context));
    }
    return undefined;
  }
  // The embedded platform charges nothing.
  if (!cost || isOwnPlatform(settings)) return undefined;
  if (!elicitation.canConfirm) {
    return given.accept_cost === true ? undefined : costsFirst(asked, await cost(input, context));
  }
  await elicitation.confirm(asked, () => cost(input, context));
  return undefined;
}

/** A missing target is reported before a wrong name: to repeat its name would not help. */
async function checkName<O extends Operation>(
  { expected, prompt }: ExactName<O>,
  { input, given, context }: ConfirmableCall<O>,
): Promise<void> {
  try {
    checkConfirmed(given.confirm, expected(input), context.elicitation.canConfirm);
  } catch (unconfirmed) {
    await prompt(input, context).catch((thrown) => {
      if (asFoveaError(thrown).code === 'not_found') throw thrown;
    });
    throw unconfirmed;
  }
}

/** A missing name is no error where the host asks its user; a wrong name always is. */
export function checkConfirmed(confirm: unknown, expected: string, canConfirm: boolean): void {
  if (confirm === expected || (confirm === undefined && canConfirm)) return;
  throw invalidArgument(
    'confirm',
    `must be "${expected}": this cannot be undone; nothing was changed`,
  );
}

/** For a host that cannot ask: the model asks its user, and calls again. */
function costsFirst(
  { tool, input }: { readonly tool: string; readonly input: object },
  { message }: ConfirmationPrompt,
): ToolResult {
  const call = { tool, arguments: { ...input, accept_cost: true } };
  return {
    summary: `Nothing was started: it may cost. ${message}`,
    data: { started: false },
    next: [{ ...call, why: 'Starts it, once the user agreed to the cost.' }],
  };
}

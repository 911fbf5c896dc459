// What a tool that cannot be undone, or that costs, is told or asks before it calls.

import * as z from 'zod';
import type { Input, Operation } from '../../contract/operation.ts';
import { asFoveaError, invalidArgument } from '../../errors.ts';
import { asRecord } from '../members.ts';
import type { Ask, ConfirmationPrompt, ToolContext, ToolResult } from '../tool.ts';
import { decides, openQuestion } from './agreement.ts';

export interface AgreementWords<O extends Operation> {
  /** Asked for as the parameter `confirm`, and checked before anything is sent. */
  readonly confirmation?: Confirmation<O>;
  /** What it costs at a hosted platform, said and agreed to before anything is sent. */
  cost?(input: Input<O>, context: ToolContext): Promise<ConfirmationPrompt>;
}

/** The exact name of what is acted on, asked for because the call cannot be undone. */
interface Confirmation<O extends Operation> {
  /** What to repeat, for the model: "Repeat keyId". */
  readonly description: string;
  /** The only value that lets the call through where the host cannot ask its user. */
  expected(input: Input<O>): string;
  /** What the user is asked where the host can; read from the service, so that it is true. */
  question(input: Input<O>, context: ToolContext): Promise<ConfirmationPrompt>;
}

/** The parameters by which a model says that what it calls for is wanted. */
export function withAgreement<O extends Operation>(
  input: z.ZodObject,
  { confirmation, cost }: AgreementWords<O>,
): z.ZodObject {
  return input.extend({
    ...(confirmation && { confirm: z.string().describe(confirmation.description) }),
    ...(cost && {
      accept_cost: z.boolean().optional().describe('The user agreed to the cost.'),
    }),
  });
}

/** What was said beside the input of the operation. */
export interface Said {
  readonly confirm?: unknown;
  readonly accept_cost?: unknown;
}

interface Asked<O extends Operation> {
  readonly input: Input<O>;
  readonly said: Said;
  readonly context: ToolContext;
}

/** What is said or asked in place of the call; undefined: it may be made. */
export async function openQuestionOf<O extends Operation>(
  operation: O,
  { confirmation, cost }: AgreementWords<O>,
  { input, said, context }: Asked<O>,
): Promise<ToolResult | undefined> {
  const isAsked = decides(context.person);
  if (confirmation) {
    const question = () => confirmation.question(input, context);
    try {
      checkConfirmed(said.confirm, confirmation.expected(input), isAsked);
    } catch (unconfirmed) {
      // To repeat the name of what is not there would only be the next mistake.
      await question().catch(onlyNotFound);
      throw unconfirmed;
    }
    if (!isAsked) return undefined;
    const ask = await openQuestion(operation.id, asRecord(input), question, context);
    return ask && { summary: ask.message, data: {}, ask };
  }
  // The embedded platform charges nothing.
  if (!cost || context.settings.baseUrl === undefined) return undefined;
  if (!isAsked && said.accept_cost === true) return undefined;
  const question = () => cost(input, context);
  const ask = await openQuestion(operation.id, asRecord(input), question, context);
  return ask && costsFirst(operation.id, asRecord(input), ask);
}

function onlyNotFound(thrown: unknown): void {
  if (asFoveaError(thrown).code === 'not_found') throw thrown;
}

/** Where the host asks, a name that is missing is no mistake; a wrong one always is. */
export function checkConfirmed(confirm: unknown, expected: string, canConsent: boolean): void {
  if (confirm === expected || (confirm === undefined && canConsent)) return;
  throw invalidArgument(
    'confirm',
    `must be "${expected}": this cannot be undone; nothing was changed`,
  );
}

/** Asked where the host can ask; else the model does, and calls again. */
function costsFirst(tool: string, input: object, ask: Ask): ToolResult {
  const call = { tool, arguments: { ...input, accept_cost: true } };
  return {
    summary: `Nothing was started: it costs. ${ask.message}`,
    data: { started: false },
    next: [{ ...call, why: 'Starts it, once the user agreed to the cost.' }],
    ask,
  };
}

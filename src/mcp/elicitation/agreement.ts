// Whether the person at the host agreed to exactly what is about to be done.

import { createHash } from 'node:crypto';
import { FoveaError } from '../../errors.ts';
import { canonicalMembers } from '../idempotency/canonical-members.ts';
import type { Ask, ConfirmationPrompt, ToolContext } from '../tool.ts';

/** Whether the person decides, and not a name that the model repeats. */
export function decides({ canConsent, agreed }: ToolContext['person']): boolean {
  // An answer counts as one, also where the host says with it that it can ask no more.
  return canConsent || agreed !== undefined;
}

/**
 * The question that is still to be asked; undefined: the person agreed to this target as it is
 * now. Throws `forbidden` where they did not agree, where nobody answered, and where they agreed
 * to another target and cannot be asked anew.
 */
export async function openQuestion(
  tool: string,
  input: object,
  question: () => Promise<ConfirmationPrompt>,
  { person }: Pick<ToolContext, 'person'>,
): Promise<Ask | undefined> {
  const { agreed, answer, canConsent } = person;
  if (agreed !== undefined && answer !== 'accept') throw notAgreed(answer);
  const { message, facts } = await question();
  const target = createHash('sha256')
    .update(JSON.stringify([tool, canonicalMembers(input), facts]))
    .digest('base64url');
  if (agreed === target) return undefined;
  if (agreed !== undefined && !canConsent) throw notAgreed(undefined);
  return { kind: 'consent', message, target };
}

function notAgreed(answer: ToolContext['person']['answer']): FoveaError {
  const nothing = 'Nothing was changed.';
  if (answer === 'decline' || answer === 'cancel') {
    return new FoveaError('forbidden', `The person was asked, and said no. ${nothing}`, {
      hint: 'Do not ask again; go on without it.',
    });
  }
  return new FoveaError('forbidden', `The host brought no answer of the person. ${nothing}`, {
    hint: 'Tell the person in the conversation what is to be done, and call again when they agree.',
  });
}

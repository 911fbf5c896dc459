// Whether the person at the host agreed to exactly what is about to be done.

import { createHash } from 'node:crypto';
import { FoveaError } from '../errors.ts';
import { canonicalMembers } from './journal/canonical-members.ts';
import type { Ask, Question, ToolContext } from './tool.ts';

/**
 * The question that is still to be asked; undefined: the person agreed to this target as it is
 * now. Throws `forbidden` where they did not agree, or nobody answered.
 */
export async function openQuestion(
  tool: string,
  input: object,
  question: () => Promise<Question>,
  { person }: Pick<ToolContext, 'person'>,
): Promise<Ask | undefined> {
  const { agreed, answer } = person;
  if (agreed !== undefined && answer !== 'accept') throw notAgreed(answer);
  const { message, facts } = await question();
  const target = createHash('sha256')
    .update(JSON.stringify([tool, canonicalMembers(input), facts]))
    .digest('base64url');
  return agreed === target ? undefined : { kind: 'consent', message, target };
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

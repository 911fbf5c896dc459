// Who can be asked to label or review: where people have accounts, those of the workspace alone. An
// address with a typing error would otherwise keep images in a job that nobody works on.

import { FoveaError, invalidInput, type Problem } from '../../errors.ts';
import { suggestSpelling } from '../../spelling-suggestion.ts';
import type { Principal } from '../access-control/authorization.ts';
import { type People, peopleFor } from '../access-control/credential-names.ts';
import type { AnnotationJob } from '../store/annotation-jobs.ts';

/**
 * Throws `invalid_input` with each argument whose address is of nobody in the workspace. Any
 * address is good where there are no accounts, and for a caller who is not told who has one.
 */
export async function checkPeople(
  people: People | undefined,
  principal: Principal,
  asked: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const known = (await peopleFor(people, principal)).flatMap(({ email }) => email ?? []);
  if (known.length === 0) return;
  const addresses = new Set(known.map((email) => email.toLowerCase()));
  const problems = Object.entries(asked).flatMap(([path, address]): readonly Problem[] => {
    if (address === undefined || addresses.has(address.toLowerCase())) return [];
    const near = nearestPerson(address, known);
    if (near !== undefined) {
      return [{ path, message: `nobody here has this address; did you mean "${near}"?` }];
    }
    const some = known.slice(0, namesShownMax).join(', ');
    const more = known.length > namesShownMax ? ' and others' : '';
    return [{ path, message: `nobody here has this address; there are ${some}${more}` }];
  });
  if (problems.length === 0) return;
  throw invalidInput(problems, 'fovea account add makes an account for somebody new.');
}

/** The name before the @ decides: what follows it makes all people of a company alike. */
function nearestPerson(address: string, known: readonly string[]): string | undefined {
  const named = known.filter((other) => suggestSpelling(nameOf(address), [nameOf(other)]));
  return suggestSpelling(address, named);
}

function nameOf(address: string): string {
  return address.slice(0, address.lastIndexOf('@'));
}

/**
 * Throws `forbidden` where who labels would approve what somebody else was asked to review. Keys
 * are no people: with one, any image is approved.
 */
export async function refuseOwnWork(
  people: People | undefined,
  principal: Principal,
  { labeler, reviewer }: Pick<AnnotationJob, 'labeler' | 'reviewer'>,
): Promise<void> {
  if (labeler === undefined || reviewer === undefined || isSame(labeler, reviewer)) return;
  const everybody = (await people?.(principal.workspace.slug)) ?? [];
  const caller = everybody.find(({ id }) => principal.name === `token:${id}`);
  if (caller?.email === undefined || !isSame(caller.email, labeler)) return;
  throw new FoveaError('forbidden', `${reviewer} was asked to review what you label.`, {
    hint: 'annotation_review with this job and assignedTo asks somebody else.',
  });
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

const namesShownMax = 5;

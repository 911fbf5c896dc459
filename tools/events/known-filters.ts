// Filters that only Event Stores of Fovea know: another one may pass over a parameter that it does
// not know, and answer with events that were not asked for.

import { invalidInput } from '../../src/errors.ts';

/** Throws `invalid_input` where filters were given and the answer does not say that they count. */
export function checkFiltersKnown<Name extends string>(
  names: readonly Name[],
  filters: Readonly<Partial<Record<Name, unknown>>>,
  { scanned }: { readonly scanned?: number | undefined },
): void {
  if (scanned !== undefined) return;
  const given = names.filter((name) => isGiven(filters[name]));
  if (given.length === 0) return;
  const message = 'is a filter that the Event Store in use does not know: only one of Fovea does';
  throw invalidInput(given.map((path) => ({ path, message })));
}

/** A list without conditions asks for nothing. */
function isGiven(filter: unknown): boolean {
  return Array.isArray(filter) ? filter.length > 0 : filter !== undefined;
}

// The error for unknown names in a list, with the nearest known name.

import { type FoveaError, invalidInput } from '../errors.ts';
import { limits } from '../limits.ts';
import { suggestSpellingOfFew } from '../spelling-suggestion.ts';

/**
 * Undefined where all are known. `missing` begins the sentence about one, such as "there is no
 * project"; of very many names the first are told, and how many more there are.
 */
export function unknownNames(
  argument: string,
  names: readonly string[],
  known: ReadonlySet<string>,
  missing: string,
): FoveaError | undefined {
  const places = [...names.keys()].filter((place) => !known.has(names[place] ?? ''));
  if (places.length === 0) return undefined;
  const nearestTo = suggestSpellingOfFew([...known]);
  const shown = places.slice(0, limits.problemsShownMax).map((place) => {
    const name = names[place] ?? '';
    const meant = nearestTo(name);
    const hint = meant === undefined ? '' : `; did you mean "${meant}"?`;
    return { path: `${argument}[${place}]`, message: `${missing} "${name}"${hint}` };
  });
  const more = places.length - shown.length;
  if (more === 0) return invalidInput(shown);
  return invalidInput([...shown, { path: argument, message: `and ${more} more are not there` }]);
}

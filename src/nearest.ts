// The known name that somebody probably meant.

import { distance } from 'fastest-levenshtein';

/** The known name with the fewest changed letters; undefined when none is close. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const lettersMax = Math.max(2, Math.floor(name.length / 3));
  let best: string | undefined;
  let least = lettersMax + 1;
  for (const other of known) {
    const letters = distance(name.toLowerCase(), other.toLowerCase());
    if (letters < least) [best, least] = [other, letters];
  }
  return best;
}

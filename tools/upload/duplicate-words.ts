// How uploads speak of files that have the bytes of an image that is there.

import { quoted } from '../format.ts';

interface NamedDuplicate {
  readonly file: string;
  readonly of: string;
  readonly labels: string;
}

/** Figures with their words, for the list of figures of an upload. */
export function duplicateFigures(
  total: number,
  conflicts: number,
): readonly (readonly [number, string])[] {
  return [
    [total, 'exact duplicates under another name or with other labels'],
    [conflicts, 'of them with conflicting labels, which were not taken'],
  ];
}

/** A sentence that names the first of them, after a space; the data has more. */
export function duplicatesNamed(copies: readonly NamedDuplicate[]): string {
  const named = copies
    .slice(0, namesShownMax)
    .map(({ file, of, labels }) => `${quoted(file)} of ${quoted(of)} (labels: ${labels})`);
  return named.length === 0 ? '' : ` Exact duplicates: ${named.join('; ')}.`;
}

/** Enough names to see what is wrong with them. */
const namesShownMax = 5;

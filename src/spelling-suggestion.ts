// Finds the known name that is most similar to a misspelt one ("did you mean").

import { distance } from 'fastest-levenshtein';

/**
 * The known name with the fewest changed letters; else the only one that begins with the name, or
 * has it as its last word. Undefined when none is close, or the close one says the opposite.
 */
export function suggestSpelling(name: string, known: readonly string[]): string | undefined {
  if (name.length > nameCharactersMax) return undefined;
  let best: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const other of known) {
    if (isNegationOf(name, other) || isNegationOf(other, name)) continue;
    const letters = changesBetween(name.toLowerCase(), other.toLowerCase());
    if (letters < least && letters <= changesMax(name, other)) [best, least] = [other, letters];
  }
  return best ?? onlyOne(known.filter((other) => isPartOf(name, other)));
}

/** `unannotated` of `annotated`, `no-class` of `class`. */
export function isNegationOf(name: string, other: string): boolean {
  const [negated, plain] = [name.toLowerCase(), other.toLowerCase()];
  return (
    negated.endsWith(plain) &&
    /^(un|non|no|not|in|dis)[-_ ]?$/.test(negated.slice(0, negated.length - plain.length))
  );
}

/** `suggestSpelling` for one wrong name after the other: only the first few are compared. */
export function suggestSpellingOfFew(
  known: readonly string[],
): (name: string) => string | undefined {
  let asked = 0;
  return (name) => {
    asked += 1;
    return asked > askedMax ? undefined : suggestSpelling(name, known);
  };
}

const askedMax = 5;

/** No known name is that long: comparing long text would only cost time. */
const nameCharactersMax = 60;

/** Two letters in four make any short word of any other. */
function changesMax(name: string, other: string): number {
  const isShort = Math.min(name.length, other.length) <= 4;
  return isShort ? 1 : Math.max(2, Math.floor(name.length / 3));
}

/** Two neighbours that changed places are one change. */
function changesBetween(name: string, other: string): number {
  const letters = distance(name, other);
  if (letters !== 2 || name.length !== other.length) return letters;
  const at = [...name].findIndex((letter, place) => letter !== other[place]);
  return name[at] === other[at + 1] && name[at + 1] === other[at] ? 1 : letters;
}

/** `val` of `valid`, and `id` of `imageId`: within a word, an end may say the opposite. */
function isPartOf(name: string, other: string): boolean {
  const [part, whole] = [name.toLowerCase(), other.toLowerCase()];
  if (part.length >= 3 && whole.startsWith(part)) return true;
  if (part.length < 2 || !whole.endsWith(part)) return false;
  const end = other.slice(-part.length);
  const before = other.at(-part.length - 1) ?? '';
  return /^\p{Lu}/u.test(end) || /^[^\p{L}\p{N}]$/u.test(before);
}

function onlyOne(names: readonly string[]): string | undefined {
  return names.length === 1 ? names[0] : undefined;
}

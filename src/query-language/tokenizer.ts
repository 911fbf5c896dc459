// Words and names as the search compares them: case, accents and forms of letters do not matter.

/** The form in which names and words are compared. Of a text and of its parts it is the same. */
export function fold(text: string): string {
  return text
    .toWellFormed()
    .toLowerCase()
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[\p{M}\p{Cc}]/gu, '')
    .replaceAll('ς', 'σ');
}

/** Its words: runs of digits, and of letters, which count with their first 64 characters. */
export function wordsOf(text: string): readonly string[] {
  const words = fold(text).match(/[0-9]+|(?:(?![0-9])[\p{L}\p{N}])+/gu) ?? [];
  return words.map((word) => (isNumber(word) ? word : firstCharacters(word)));
}

/** No half of a character is among them. */
function firstCharacters(text: string): string {
  return text.length <= wordCharactersMax ? text : [...text].slice(0, wordCharactersMax).join('');
}

const wordCharactersMax = 64;

/** Longer runs of digits stand in no term: there would be one for nearly each image. */
const digitsInTermMax = 3;

/** Whether all images with this word are found by its term. */
export function isTermWord(word: string): boolean {
  return word.length <= digitsInTermMax || !isNumber(word);
}

export function isNumber(word: string): boolean {
  return /^[0-9]/.test(word);
}

/** Stand at both ends of a name, and in no name. */
export const nameStart = '\u0002';
export const nameEnd = '\u0003';

/** What a folded name has between its digits, with the marks of its ends. */
export function partsOf(foldedName: string): readonly string[] {
  return `${nameStart}${foldedName}${nameEnd}`.split(/[0-9]+/);
}

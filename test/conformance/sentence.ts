// A document as numbered sentences, which checks prove.

export interface Sentence {
  readonly number: string;
  readonly section: string;
  readonly words: string;
}

/** All of them, in the order of the document. */
export function listSentences(
  sections: Readonly<Record<string, Readonly<Record<string, string>>>>,
): readonly Sentence[] {
  return Object.entries(sections).flatMap(([section, rows]) =>
    Object.entries(rows).map(([number, words]) => ({ number, section, words })),
  );
}

// The files of the grammar that pages in browsers load too.

/** In a release the folder lies beside the part that this file is bundled into. */
const folder = new URL('./grammar/', import.meta.url);

/** Their names, with their places. */
export const grammarFiles: ReadonlyMap<string, URL> = new Map(
  ['query-grammar.js', 'query-text.js', 'lower-case-joins.js'].map((name) => [
    name,
    new URL(name, folder),
  ]),
);

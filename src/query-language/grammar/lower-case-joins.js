// Why a query with `or` finds nothing: only in capitals is it more than a word. Browsers load it too.

/**
 * Tells which words are to be written in capitals to join conditions; empty: none.
 * @param {string} query as it was typed
 */
export function lowerCaseJoinHint(query) {
  const unquoted = query.replaceAll(/"(?:[^"\\]|\\.)*"/gs, '""');
  const found = unquoted.matchAll(/(?<=[\s)"])(?:or|and)(?=[\s("])|(?<=^|[\s("])not(?=[\s("])/gi);
  const words = new Set([...found].map(([word]) => word).filter((word) => /[a-z]/.test(word)));
  if (words.size === 0) return '';
  const joins = [...new Set([...words].map((word) => word.toUpperCase()))].join(' and ');
  const [first = ''] = words;
  return `Write ${joins} in capitals: “${first}” is looked for as a word.`;
}

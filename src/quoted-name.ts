// Names and texts by others inside messages of ours: in quotes, short and on one line.

/** Without control characters, and cut after `lengthMax` characters. */
export function quotedName(text: string, lengthMax = 100): string {
  const start = text.slice(0, lengthMax * 4);
  const line = start.replaceAll(/[\s\p{Cc}]+/gu, ' ').replaceAll(/\p{C}/gu, '?');
  return line.length > lengthMax ? `"${line.slice(0, lengthMax)}…"` : `"${line}"`;
}

/** Some of the names that would be right. */
export function quotedNames(names: readonly string[]): string {
  const shown = names.slice(0, 10).map((name) => quotedName(name));
  const list = shown.join(', ');
  return names.length > 10 ? `${list} and ${names.length - 10} more` : list;
}

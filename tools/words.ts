// How tools say things: figures with their nouns, and names that others chose made safe to quote.

/** `1 image`, `364 images`. */
export function count(figure: number, singular: string, plural = `${singular}s`): string {
  return `${figure} ${figure === 1 ? singular : plural}`;
}

const quotedLengthMax = 80;

/** A name as part of a sentence of ours: on one line, short, and in quotes. */
export function quoted(name: string): string {
  const line = name.replace(/[\p{C}\p{Z}"]+/gu, ' ').trim();
  return `"${line.length > quotedLengthMax ? `${line.slice(0, quotedLengthMax)}…` : line}"`;
}

const listedMax = 10;

/** The largest counts first: `"RBC" 4155, "WBC" 372`; beyond ten, how many more there are. */
export function tally(counts: Readonly<Record<string, number>>): string {
  const sorted = Object.entries(counts).sort(([, a], [, b]) => b - a);
  const named = sorted.slice(0, listedMax).map(([name, figure]) => `${quoted(name)} ${figure}`);
  const more = sorted.length - named.length;
  return `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Names in quotes: `"a", "b"`; beyond ten, how many more there are. */
export function nameList(names: readonly string[]): string {
  const more = names.length - listedMax;
  const named = names.slice(0, listedMax).map(quoted).join(', ');
  return more > 0 ? `${named} and ${more} more` : named;
}

/** `70 train, 20 valid, 10 test`. */
export function splitList(splits: Readonly<Record<string, unknown>>): string {
  return Object.entries(splits)
    .map(([name, figure]) => `${String(figure)} ${name}`)
    .join(', ');
}

/** The last part of an id such as `workspace/project/3`. */
export function lastPart(id: string): string {
  return id.slice(id.lastIndexOf('/') + 1);
}

/** Bytes as people read them: `8.9 MB`. */
export function fileSize(bytes: number): string {
  if (bytes < 1_000) return count(bytes, 'byte');
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(1)} kB`;
  if (bytes < 1_000_000_000) return `${(bytes / 1_000_000).toFixed(1)} MB`;
  return `${(bytes / 1_000_000_000).toFixed(1)} GB`;
}

// Reads the beginnings of the next few entries of a zip file while those before them are written.

export interface ZipEntry {
  /** Relative, with `/` between its parts. */
  readonly path: string;
  readonly isDeflated: boolean;
  /** Called once, when its turn comes. */
  readonly content: () => AsyncGenerator<Uint8Array>;
}

/** The same entries; those that nobody takes any more are ended. */
export async function* readAhead<Entry extends ZipEntry>(
  entries: AsyncIterable<Entry>,
): AsyncGenerator<Entry> {
  const started: StartedEntry<Entry>[] = [];
  const content = ({ first, rest }: StartedEntry<Entry>) => pieces(first, rest);
  try {
    for await (const entry of entries) {
      started.push(start(entry));
      const next = started.length > readAheadMax ? started.shift() : undefined;
      if (next !== undefined) yield { ...next.entry, content: () => content(next) };
    }
    for (const next of started) yield { ...next.entry, content: () => content(next) };
  } finally {
    // Those that were not written to their end.
    await Promise.all(started.map(({ rest }) => rest.return(undefined)));
  }
}

/** Each with a piece in memory. */
const readAheadMax = 16;

interface StartedEntry<Entry> {
  readonly entry: Entry;
  readonly first: Promise<IteratorResult<Uint8Array>>;
  readonly rest: AsyncGenerator<Uint8Array>;
}

function start<Entry extends ZipEntry>(entry: Entry): StartedEntry<Entry> {
  const rest = entry.content();
  const first = rest.next();
  // It is thrown when its turn comes.
  first.catch(() => {});
  return { entry, first, rest };
}

async function* pieces(
  first: Promise<IteratorResult<Uint8Array>>,
  rest: AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    const { done, value } = await first;
    if (done) return;
    yield value;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

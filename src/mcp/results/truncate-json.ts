// Truncates data that is too long for a host, and reports first what was left out.

type Json = Record<string, unknown>;

/**
 * The data, shortened until its JSON has at most `charactersMax` characters: the longest arrays
 * first (half a list helps a model more than a list of halves), then texts, then objects. Where
 * something was left out, `truncated` and `cut` (path, shown and total of each) stand first.
 */
export function truncateToFit(data: Json, charactersMax: number): Json {
  if (lengthOf(data) <= charactersMax) return data;
  const cuts = new Map<string, Cut>();
  // Room for the list of cuts itself.
  const room = charactersMax - Math.min(3_000, charactersMax / 4);
  const root = { data: structuredClone(data) };
  for (let excess = lengthOf(root.data) - room; excess > 0; excess = lengthOf(root.data) - room) {
    const part = longestOf([...partsOf(root, 'data', '')]);
    if (part === undefined) break;
    const shown = part.shorten(excess);
    const total = cuts.get(part.path)?.total ?? part.total;
    cuts.set(part.path, { path: part.path, shown, total });
  }
  const { truncated: _truncated, cut: _cut, ...rest } = root.data;
  return { truncated: true, cut: [...cuts.values()].slice(0, cutsMax), ...rest };
}

const cutsMax = 20;

/** An array, text or object of which only the beginning is shown. */
interface Cut {
  readonly path: string;
  readonly shown: number;
  readonly total: number;
}

type Kind = 'array' | 'text' | 'object';

interface Part {
  readonly kind: Kind;
  readonly path: string;
  readonly total: number;
  readonly characters: number;
  /** Removes about so many characters of JSON, at least one element; returns how many are left. */
  shorten(excess: number): number;
}

function longestOf(parts: readonly Part[]): Part | undefined {
  for (const kind of ['array', 'text', 'object']) {
    const alike = parts.filter((part) => part.kind === kind);
    const longest = alike.sort((a, b) => b.characters - a.characters)[0];
    if (longest) return longest;
  }
  return undefined;
}

const textMin = 200;

/** What can be shortened in `holder[key]`. Members of an array only once it has one element. */
function* partsOf(holder: object, key: string | number, path: string): Generator<Part> {
  const value: unknown = Reflect.get(holder, key);
  const put = (shorter: unknown) => Reflect.set(holder, key, shorter);
  const characters = lengthOf(value);
  if (typeof value === 'string' && value.length > textMin) {
    const shorten = (excess: number) => {
      const shown = Math.max(textMin, value.length - excess);
      put(value.slice(0, shown).toWellFormed());
      return shown;
    };
    yield { kind: 'text', path, total: value.length, characters, shorten };
  } else if (Array.isArray(value) && value.length > 1) {
    const shorten = (excess: number) => {
      const shown = countLeft(value.map(lengthOf), excess);
      put(value.slice(0, shown));
      return shown;
    };
    yield { kind: 'array', path, total: value.length, characters, shorten };
  } else if (typeof value === 'object' && value !== null) {
    yield* partsOfObject(value, path, put);
  }
}

function* partsOfObject(value: object, path: string, put: (shorter: unknown) => void) {
  const members = Object.entries(value);
  for (const [name] of members) {
    yield* partsOf(
      value,
      name,
      Array.isArray(value) ? `${path}[0]` : `${path && `${path}.`}${name}`,
    );
  }
  if (Array.isArray(value) || members.length < 2) return;
  const lengths = members.map(([name, member]) => lengthOf(name) + lengthOf(member) + 1);
  const shorten = (excess: number) => {
    const shown = countLeft(lengths, excess);
    put(Object.fromEntries(members.slice(0, shown)));
    return shown;
  };
  const characters = lengthOf(value);
  const part: Part = { kind: 'object', path, total: members.length, characters, shorten };
  yield part;
}

/** How many elements stay when `excess` characters have to go: at least one goes, one stays. */
function countLeft(lengths: readonly number[], excess: number): number {
  let shown = lengths.length - 1;
  let gone = (lengths[shown] ?? 0) + 1;
  while (shown > 1 && gone < excess) {
    shown -= 1;
    gone += (lengths[shown] ?? 0) + 1;
  }
  return shown;
}

function lengthOf(value: unknown): number {
  return (JSON.stringify(value) ?? 'null').length;
}

// Members of nested settings by their path.

export type Path = readonly string[];

/** How a file is laid out. */
export interface Style {
  readonly lineEnd: string;
  /** One step: a tab, or blanks. */
  readonly indent: string;
}

export type Members = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is Members {
  if (typeof value !== 'object' || value === null) return false;
  // Dates of TOML are objects too.
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

export function valueAt(root: unknown, path: Path): unknown {
  let value = root;
  for (const name of path) {
    if (!isRecord(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

/** A copy with a member set, or removed where the value is undefined. */
export function withValueAt(root: unknown, path: Path, value: unknown): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  const members = isRecord(root) ? root : {};
  if (rest.length === 0 && value === undefined) {
    return Object.fromEntries(Object.entries(members).filter(([other]) => other !== name));
  }
  return { ...members, [name]: withValueAt(members[name], rest, value) };
}

/** The same value from objects of one kind: parsers differ in the prototypes that they give. */
export function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]));
}

/** Every line moved to the right, blank ones left. */
export function indented(text: string, by: string): string {
  return text.replace(/^(?=.)/gm, by);
}

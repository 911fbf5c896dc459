// Calls with what was sampled in them: the same place below the same callers is one node, in
// whatever process or thread it was.

export interface Place {
  readonly name: string;
  /** A path from the root of the repository, or a module of Node; empty: of the engine. */
  readonly file: string;
  /** From 1 on; 0: unknown. */
  readonly line: number;
}

export class CallTree {
  readonly place: Place;
  /** Without what it calls. */
  self = 0;
  readonly #callees = new Map<string, CallTree>();

  constructor(place: Place) {
    this.place = place;
  }

  get callees(): readonly CallTree[] {
    return [...this.#callees.values()];
  }

  get total(): number {
    return this.callees.reduce((sum, { total }) => sum + total, this.self);
  }

  /** What this place calls at that one. */
  callee(place: Place): CallTree {
    const key = textOf(place);
    const known = this.#callees.get(key);
    if (known !== undefined) return known;
    const made = new CallTree(place);
    this.#callees.set(key, made);
    return made;
  }

  /** What is spent in each of these, most first; the same name in many places is added up. */
  selfBy(nameOf: (place: Place) => string): readonly (readonly [string, number])[] {
    const sums = new Map<string, number>();
    const add = ({ place, self, callees }: CallTree) => {
      const name = nameOf(place);
      sums.set(name, (sums.get(name) ?? 0) + self);
      for (const callee of callees) add(callee);
    };
    add(this);
    return [...sums].sort(([, a], [, b]) => b - a);
  }
}

export function emptyTree(name: string): CallTree {
  return new CallTree({ name, file: '', line: 0 });
}

export function textOf({ name, file, line }: Place): string {
  if (file === '') return name;
  return line === 0 ? `${name}  ${file}` : `${name}  ${file}:${line}`;
}

// The classes of a project in the order of their numbers. As long as a tab is open a class keeps its
// number, also when others appear, and one that was named here is there on the next image too.

/** @type {Map<string, { order: string[], named: Set<string> }>} */
const ofProjects = new Map();

export class ClassNumbers {
  #known;
  #here;

  /** @param {string} slug @param {readonly string[]} here classes of the project */
  constructor(slug, here) {
    this.#known = ofProjects.get(slug) ?? { order: [], named: new Set() };
    ofProjects.set(slug, this.#known);
    this.#here = new Set(here);
    this.#order(here);
  }

  /** Without those that the project no longer has. */
  get names() {
    const { order, named } = this.#known;
    return order.filter((name) => this.#here.has(name) || named.has(name));
  }

  /** A person named it. @param {string} name */
  add(name) {
    if (this.#here.has(name)) return;
    this.#known.named.add(name);
    this.#order([name]);
  }

  /** It is on this image. @param {readonly string[]} names */
  meet(names) {
    for (const name of names) this.#here.add(name);
    this.#order(names);
  }

  /** @param {readonly string[]} names */
  #order(names) {
    const { order } = this.#known;
    for (const name of names) if (!order.includes(name)) order.push(name);
  }
}

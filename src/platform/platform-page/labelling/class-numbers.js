// The classes of a project in the order of their numbers. As long as a tab is open a class keeps its
// number, also when others appear and the page is loaded anew, and one that was named here is there
// on the next image too.

import { ownName, TabStorage } from './tab-storage.js';

/** @import { Box } from '../boxes.ts' */

/** @type {Map<string, { order: string[], named: Set<string> }>} */
const ofProjects = new Map();

const orders = new TabStorage('classes of ');

export class ClassNumbers {
  #slug;
  #known;
  #here;
  /** Those of the project. */
  #ofProject;

  /** @param {string} slug @param {readonly string[]} here classes of the project */
  constructor(slug, here) {
    this.#slug = slug;
    this.#known = ofProjects.get(slug) ?? { order: keptOrder(slug), named: new Set() };
    ofProjects.set(slug, this.#known);
    this.#here = new Set(here);
    this.#ofProject = here;
    this.#order(here);
  }

  /** Without those that the project no longer has. */
  get names() {
    const { order, named } = this.#known;
    return order.filter((name) => this.#here.has(name) || named.has(name));
  }

  /**
   * The project has these by now.
   * @param {readonly string[]} names
   * @returns {ReadonlyMap<string, string>} what one is called since, where that is plain
   */
  follow(names) {
    const gone = this.#ofProject.filter((name) => !names.includes(name));
    const come = names.filter((name) => !this.#ofProject.includes(name));
    this.#ofProject = names;
    this.#here = new Set(names);
    this.#order(names);
    const [[before, ...more], [after, ...others]] = [gone, come];
    const isPlain = more.length === 0 && others.length === 0;
    if (before === undefined || after === undefined || !isPlain) return new Map();
    return this.#known.named.has(after) ? new Map() : new Map([[before, after]]);
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
    const added = names.filter((name) => !order.includes(name));
    if (added.length === 0) return;
    order.push(...added);
    orders.keep(ownName(this.#slug), order);
  }
}

/** @param {readonly Box[]} boxes @param {ReadonlyMap<string, string>} renamed */
export function renamedBoxes(boxes, renamed) {
  if (!boxes.some((box) => renamed.has(box.class))) return boxes;
  return boxes.map((box) => ({ ...box, class: renamed.get(box.class) ?? box.class }));
}

/** Those of who works here. */
export function forgetClassNumbers() {
  leaveClassNumbers();
  orders.forget();
}

/** Another one works here from now on. */
export function leaveClassNumbers() {
  ofProjects.clear();
}

/** @param {string} slug @returns {string[]} */
function keptOrder(slug) {
  return orders.kept(ownName(slug)).filter((name) => typeof name === 'string');
}

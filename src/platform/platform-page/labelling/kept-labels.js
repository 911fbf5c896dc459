// Labels that the platform does not have yet, by image: whoever leaves the image, or loads the page
// anew, has them still. They are in the storage of this tab alone.

import { TabStorage } from './tab-storage.js';

/**
 * `base`: the revision from which the labels were changed. `classState`: the one that is meant by
 * their classes. `why`: what stands in the way; empty:
 * nothing yet. `owner`: who sends them; undefined: they were kept by a page before this one.
 * @typedef {{ name: string, address: string, base: string, classState: string, why: string,
 *   labels: readonly unknown[] }} Stored
 * @typedef {Stored & { owner?: KeptLabels }} Entry
 */

const storage = new TabStorage('labels of ');

/** Of classes of which none was renamed. */
const noState = 'none';

/** @type {Map<string, Entry>} */
const entries = new Map(
  storage.names.flatMap((name) => {
    const entry = { classState: noState, ...Object(storage.kept(name)[0]) };
    return isStored(entry) ? [[name, entry]] : [];
  }),
);

/** A request is waited for so long before it is sent anew. */
const sendingMsMax = 2_000;

let told = () => {};

/** What is to be done when they change. @param {() => void} tell */
export function onKeptLabels(tell) {
  told = tell;
}

export class KeptLabels {
  /** That of the classes of the labels here. */
  classState = noState;
  #key;
  #named;
  #isOver = false;
  #isStored = false;
  #stop = async () => {};
  #isShown = () => false;

  /**
   * @param {readonly string[]} place project, independent job (else empty) and image
   * @param {{ name: string, address: string }} named of the image, for people
   */
  constructor(place, named) {
    this.#key = JSON.stringify(place);
    this.#named = named;
  }

  /** Those that were kept before mean older ones. @param {string} classState of now */
  seeClasses(classState) {
    this.classState = entries.get(this.#key)?.classState ?? classState;
  }

  /** Who sends them. @param {{ stop: () => Promise<void>, isShown: () => boolean }} sender */
  sentBy({ stop, isShown }) {
    this.#stop = stop;
    this.#isShown = isShown;
  }

  /** Whether it is in the storage of the tab, which may be full. */
  get isStored() {
    return this.#isStored;
  }

  get isShown() {
    return this.#isShown();
  }

  /**
   * What another sender of the same labels has not sent is sent by this one from now on.
   * @returns {Promise<boolean>} whether there was any, who may just have sent it
   */
  async takeOver() {
    const owner = entries.get(this.#key)?.owner;
    await owner?.end();
    return owner !== undefined;
  }

  async end() {
    await Promise.race([this.#stop(), new Promise((end) => setTimeout(end, sendingMsMax))]);
    this.#isOver = true;
  }

  /**
   * What waits to be saved; undefined: nothing.
   * @template One
   * @param {(value: unknown) => value is One} isOne
   * @returns {{ base: string, labels: readonly One[] } | undefined}
   */
  draft(isOne) {
    const { base = '', labels } = entries.get(this.#key) ?? {};
    return labels?.every(isOne) ? { base, labels } : undefined;
  }

  /** @param {readonly unknown[]} labels @param {string} base @param {string} [why] */
  keep(labels, base, why = '') {
    if (this.#isOver) return;
    const stored = { ...this.#named, base, classState: this.classState, labels, why };
    entries.set(this.#key, { ...stored, owner: this });
    this.#isStored = storage.keep(this.#key, [stored]);
    told();
  }

  forget() {
    if (this.#isOver || !entries.has(this.#key)) return;
    drop(this.#key);
  }
}

/** Those that nobody sees, and that are not saved by themselves. */
export function forgottenLabels() {
  return [...entries]
    .filter(([, { owner, why }]) => !owner?.isShown && (owner === undefined || why !== ''))
    .map(([key, { name, address, why }]) => ({ key, name, address, why }));
}

/** @param {string} key of one of them */
export function discardLabels(key) {
  void entries.get(key)?.owner?.end();
  drop(key);
}

export function hasKeptLabels() {
  return entries.size > 0;
}

/** For the next person of this tab. */
export function forgetLabels() {
  for (const key of entries.keys()) discardLabels(key);
  storage.forget();
}

/** @param {string} key */
function drop(key) {
  entries.delete(key);
  storage.keep(key, []);
  told();
}

/** @param {unknown} value @returns {value is Stored} */
function isStored(value) {
  const { name, address, base, classState, labels, why } = Object(value);
  const words = [name, address, base, classState, why];
  return words.every((word) => typeof word === 'string') && Array.isArray(labels);
}

// Labels that the platform does not have yet, by image: whoever leaves the image, or loads the page
// anew, has them still. They are in the storage of this tab alone, and of who drew them alone: another
// one who works in the tab is told of them, and neither sees nor sends them.

import { isOwn, ownerOf, ownName, TabStorage } from './tab-storage.js';

/**
 * `base`: the revision from which the labels were changed. `classState`: the one that is meant by
 * their classes. `why`: what stands in the way; empty:
 * nothing yet. `isUndone`: whether they are those of an image that nobody had annotated. `sender`: what
 * sends them; undefined: they were kept by a page before this one, or another one has worked in the
 * tab since.
 * @typedef {{ name: string, address: string, base: string, classState: string, why: string,
 *   isUndone?: boolean, labels: readonly unknown[] }} Stored
 * @typedef {Stored & { sender?: KeptLabels | undefined }} Entry
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
  /** @type {(labels: readonly unknown[]) => boolean} */
  #isUndone = () => false;

  /**
   * @param {readonly string[]} place project, independent job (else empty) and image
   * @param {{ name: string, address: string }} named of the image, for people
   */
  constructor(place, named) {
    this.#key = ownName(...place);
    this.#named = named;
  }

  /** Those that were kept before mean older ones. @param {string} classState of now */
  seeClasses(classState) {
    this.classState = entries.get(this.#key)?.classState ?? classState;
  }

  /**
   * Who sends them.
   * @param {{
   *   stop: () => Promise<void>,
   *   isShown: () => boolean,
   *   isUndone: (labels: readonly unknown[]) => boolean,
   * }} sender
   */
  sentBy({ stop, isShown, isUndone }) {
    this.#stop = stop;
    this.#isShown = isShown;
    this.#isUndone = isUndone;
  }

  /** Whether it is in the storage of the tab, which may be full. */
  get isStored() {
    return this.#isStored;
  }

  /** Whether something waits to be saved. */
  hasSome = () => entries.has(this.#key);

  get isShown() {
    return this.#isShown();
  }

  /**
   * What another sender of the same labels has not sent is sent by this one from now on.
   * @returns {Promise<boolean>} whether there was any, who may just have sent it
   */
  async takeOver() {
    const sender = entries.get(this.#key)?.sender;
    await sender?.end();
    return sender !== undefined;
  }

  async end() {
    await Promise.race([this.#stop(), new Promise((end) => setTimeout(end, sendingMsMax))]);
    this.#isOver = true;
  }

  /**
   * What waits to be saved; undefined: nothing.
   * @template One
   * @param {(value: unknown) => value is One} isOne
   * @returns {{ base: string, isUndone: boolean, labels: readonly One[] } | undefined}
   */
  draft(isOne) {
    const { base = '', isUndone = false, labels } = entries.get(this.#key) ?? {};
    return labels?.every(isOne) ? { base, isUndone: isUndone === true, labels } : undefined;
  }

  /** @param {readonly unknown[]} labels @param {string} base @param {string} [why] */
  keep(labels, base, why = '') {
    if (this.#isOver) return;
    const isUndone = this.#isUndone(labels);
    const stored = { ...this.#named, base, classState: this.classState, isUndone, labels, why };
    entries.set(this.#key, { ...stored, sender: this });
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
  return ownEntries()
    .filter(([, { sender, why }]) => !sender?.isShown && (sender === undefined || why !== ''))
    .map(([key, { name, address, why }]) => ({ key, name, address, why }));
}

/**
 * Of how many images labels wait for others than who works here.
 * @returns {{ owner: import('./tab-storage.js').Owner, count: number }[]}
 */
export function labelsOfOthers() {
  const owners = [...entries.keys()].filter((key) => !isOwn(key)).map(ownerOf);
  const byOwner = Map.groupBy(owners, (owner) => JSON.stringify(owner));
  return [...byOwner.values()].flatMap((same) => {
    const [owner] = same;
    return owner === undefined ? [] : [{ owner, count: same.length }];
  });
}

/** @param {string} key of one of them */
export function discardLabels(key) {
  void entries.get(key)?.sender?.end();
  drop(key);
}

/** Of who works here. */
export function hasKeptLabels() {
  return ownEntries().length > 0;
}

/** Those of who works here. */
export function forgetLabels() {
  for (const [key] of ownEntries()) discardLabels(key);
}

/** Another one works here from now on: nothing is sent until who drew it comes back. */
export function leaveLabels() {
  for (const entry of entries.values()) {
    void entry.sender?.end();
    entry.sender = undefined;
  }
}

function ownEntries() {
  return [...entries].filter(([key]) => isOwn(key));
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

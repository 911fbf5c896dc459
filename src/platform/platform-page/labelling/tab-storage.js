// What the labelling page keeps in the storage of its tab, so that it outlives a reload: values by a
// name, below a prefix of their kind. Each is of who worked in the tab when it was kept.

/**
 * A person or a key, as one who labels; `who`: the credential of a person, empty for keys of the
 * workspace, which are nobody in particular. Inside a host both are empty.
 * @typedef {{ who: string, workspace: string }} Owner
 */

/** @type {Owner} */
let owner = { who: '', workspace: '' };

/** Whether that one, or nobody yet, works in this tab. @param {Owner} next */
export function worksHere({ who, workspace }) {
  return owner.workspace === '' || (owner.who === who && owner.workspace === workspace);
}

/** @param {Owner} next who works in this tab from now on */
export function workAs(next) {
  owner = next;
}

/** What is kept by this name is of who works here. @param {readonly string[]} place */
export function ownName(...place) {
  return JSON.stringify([owner.who, owner.workspace, ...place]);
}

/** @param {string} name made by `ownName`; another one is of nobody @returns {Owner} */
export function ownerOf(name) {
  try {
    const [who, workspace] = JSON.parse(name);
    return { who: String(who), workspace: String(workspace) };
  } catch {
    return { who: '', workspace: '' };
  }
}

/** @param {string} name made by `ownName` */
export function isOwn(name) {
  return worksHere(ownerOf(name));
}

export class TabStorage {
  #prefix;

  /** @param {string} prefix of one kind of value */
  constructor(prefix) {
    this.#prefix = prefix;
  }

  /**
   * @param {string} name
   * @param {readonly unknown[]} values none: there is nothing to keep
   * @returns {boolean} whether they are kept
   */
  keep(name, values) {
    try {
      if (values.length === 0) sessionStorage.removeItem(this.#prefix + name);
      else sessionStorage.setItem(this.#prefix + name, JSON.stringify(values));
      return true;
    } catch {
      // A full storage must not end the work.
      return false;
    }
  }

  /** Empty: nothing is kept. @param {string} name @returns {unknown[]} */
  kept(name) {
    try {
      const values = JSON.parse(sessionStorage.getItem(this.#prefix + name) ?? '[]');
      return Array.isArray(values) ? values : [];
    } catch {
      return [];
    }
  }

  /** Of all that is kept. @returns {string[]} */
  get names() {
    try {
      const names = Object.keys(sessionStorage).filter((name) => name.startsWith(this.#prefix));
      return names.map((name) => name.slice(this.#prefix.length));
    } catch {
      // Inside a host there may be no storage.
      return [];
    }
  }

  /** What is of who works here. */
  forget() {
    for (const name of this.names.filter(isOwn)) sessionStorage.removeItem(this.#prefix + name);
  }
}

// What the labelling page keeps in the storage of its tab, so that it outlives a reload: values by a
// name, below a prefix of their kind.

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

  /** For the next person of this tab. */
  forget() {
    for (const name of this.names) sessionStorage.removeItem(this.#prefix + name);
  }
}

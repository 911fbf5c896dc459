// A search field over the rows of a list that are loaded: it hides those that do not fit, and says
// how many are left. What it looks for is kept in the address, so that a link shows the same.

import { element } from '../../http-server/page-assets/elements.js';
import { count } from '../../http-server/page-assets/format.js';

/** @typedef {{ isExcluded: boolean, column: number | undefined, text: string }} Condition */

export class RowFilter {
  root;
  /** What it says where no row fits. */
  none = element('p', { class: 'empty', hidden: true });
  #place;
  #heads;
  #field;
  #figures = element('span', { class: 'quiet', role: 'status' });
  /** @type {readonly HTMLElement[]} */
  #rows = [];
  #isWhole = true;

  /**
   * @param {string} place the address of the list, without its query
   * @param {URLSearchParams} query of the address; `q` is what is looked for
   * @param {readonly string[]} [heads] of its columns, which a search may name: `status:failed`
   */
  constructor(place, query, heads = []) {
    this.#place = place;
    this.#heads = heads.map((head) => folded(head).replaceAll(' ', '-'));
    this.#field = element('input', {
      type: 'search',
      name: 'q',
      value: query.get('q') ?? '',
      placeholder: exampleFor(this.#heads),
    });
    this.root = element(
      'form',
      { class: 'row', role: 'search', autocomplete: 'off' },
      element('label', {}, 'Filter ', this.#field),
      this.#figures,
    );
    this.#field.addEventListener('input', () => {
      this.#keep();
      this.#apply();
    });
    this.root.addEventListener('submit', (event) => event.preventDefault());
  }

  /**
   * The rows that the page shows now.
   * @param {readonly HTMLElement[]} rows
   * @param {boolean} isWhole false: the list has more, which are not loaded
   */
  show(rows, isWhole = true) {
    this.#rows = rows;
    this.#isWhole = isWhole;
    this.root.hidden = rows.length === 0;
    this.#apply();
  }

  #apply() {
    const conditions = conditionsOf(this.#field.value, this.#heads);
    const unknown = unknownColumn(this.#field.value, this.#heads);
    this.#field.setAttribute('aria-invalid', String(unknown !== undefined));
    if (unknown !== undefined) return this.#refuse(unknown);
    let fit = 0;
    for (const row of this.#rows) {
      row.hidden = !fits(row, conditions);
      if (!row.hidden) fit += 1;
    }
    const all = this.#rows.length;
    const what = this.#isWhole ? count(all) : `the ${count(all)} that are loaded`;
    const isFiltered = conditions.length > 0;
    this.#figures.textContent = isFiltered ? `${count(fit)} of ${what}` : all > 0 ? what : '';
    this.none.hidden = fit > 0 || all === 0;
    this.none.textContent = this.#isWhole
      ? 'None fits: take a word of the filter away.'
      : `None of the ${count(all)} that are loaded fits. There are more, which were not looked at.`;
  }

  /** @param {string} column */
  #refuse(column) {
    for (const row of this.#rows) row.hidden = true;
    const all = this.#heads.filter((head) => head !== '').join(', ');
    const known = all === '' ? 'This list has no columns' : `Columns are ${all}`;
    this.#figures.textContent = 'Not understood';
    this.none.hidden = this.#rows.length === 0;
    const quotes = `Quotes look for a text as it stands: "${column}:…".`;
    this.none.textContent = `There is no column “${column}”. ${known}. ${quotes}`;
  }

  #keep() {
    const [, before = ''] = location.hash.split('?');
    const query = new URLSearchParams(before);
    if (this.#field.value === '') query.delete('q');
    else query.set('q', this.#field.value);
    history.replaceState(null, '', query.size > 0 ? `${this.#place}?${query}` : this.#place);
  }
}

/** @param {readonly string[]} heads */
function exampleFor(heads) {
  const head = heads.find((name) => ['status', 'state', 'type', 'who'].includes(name)) ?? heads[0];
  return head === undefined ? 'word  -word  "two words"' : `word  -word  ${head}:word`;
}

const terms = /(-?)(?:([^\s":]+):)?(?:"([^"]*)"?|([^\s"]+))/g;

/** All must hold. @param {string} search @param {readonly string[]} heads @returns {Condition[]} */
function conditionsOf(search, heads) {
  return [...folded(search).matchAll(terms)].flatMap(
    ([whole, minus, head = '', phrase, word = '']) => {
      // The column of the buttons has no name: a word without one is looked for in all.
      const column = head === '' ? -1 : heads.indexOf(head);
      const isExcluded = minus !== '';
      const said = phrase ?? word;
      // 10:30 names no column.
      const text = column < 0 && head !== '' ? whole.slice(isExcluded ? 1 : 0) : said;
      const condition = { isExcluded, column: column < 0 ? undefined : column, text };
      return text === '' ? [] : [condition];
    },
  );
}

/**
 * The first that is named and is none. `10:30` and `https://…` name no column.
 * @param {string} search @param {readonly string[]} heads
 */
function unknownColumn(search, heads) {
  for (const [, , head = '', , word = ''] of folded(search).matchAll(terms)) {
    const isName = /^\p{L}[\p{L}-]*$/u.test(head) && !word.startsWith('//');
    if (isName && !heads.includes(head)) return head;
  }
  return undefined;
}

/** @param {HTMLElement} row @param {readonly Condition[]} conditions */
function fits(row, conditions) {
  if (conditions.length === 0) return true;
  const cells = [...row.children].map((cell) => folded(cell.textContent));
  const titles = [...row.querySelectorAll('[title]')].map((part) => part.getAttribute('title'));
  const all = [...cells, folded(titles.join('\n'))].join('\n');
  return conditions.every(({ isExcluded, column, text }) => {
    const place = column === undefined ? all : (cells[column] ?? '');
    return place.includes(text) !== isExcluded;
  });
}

/** Without capitals and accents. @param {string} text */
function folded(text) {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
}

// A search field over the rows of a list that are loaded: it hides those that do not fit, and says
// how many are left. What it looks for is kept in the address, so that a link shows the same.

import { element, shownText } from '../../http-server/page-assets/elements.js';
import { count } from '../../http-server/page-assets/format.js';
import { lowerCaseJoinHint } from '../../query-language/grammar/lower-case-joins.js';
import { columnWithout, fitsRow, folded, parseRowQuery, textWithout } from './row-query.js';
import { timeIn } from './time-element.js';

/** @import { Condition, RowTexts } from './row-query.js' */

/** More values, or longer ones, are no choice that could be named. */
const valuesMax = 10;
const valueLettersMax = 200;

/** What rows say that have no cells. @type {WeakMap<HTMLElement, readonly (string | Element)[]>} */
const columnsOfCards = new WeakMap();

/**
 * What a card says in each of the columns that filters may name, as a cell of a table would.
 * @param {HTMLElement} card
 * @param {readonly (string | Element)[]} columns a time is in an element
 */
export function withColumns(card, columns) {
  columnsOfCards.set(card, columns);
  return card;
}

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
  /** Whether the last letter was just typed: what is not finished yet hides nothing. */
  #isTyping = false;
  /** What was understood last. @type {Condition} */
  #condition = { kind: 'all' };

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
      title: waysFor(this.#heads),
    });
    this.root = element(
      'form',
      { class: 'row', role: 'search', autocomplete: 'off' },
      element('label', {}, 'Filter ', this.#field),
      this.#figures,
    );
    this.#field.addEventListener('input', () => {
      this.#isTyping = true;
      this.#keep();
      this.#apply();
    });
    this.#field.addEventListener('change', () => this.#finish());
    this.root.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#finish();
    });
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

  #finish() {
    this.#isTyping = false;
    this.#apply();
  }

  #apply() {
    const rows = this.#rows.map((row) => ({ row, texts: textsOf(row) }));
    const query = this.#understand(rows.map(({ texts }) => texts));
    const isUnfinished = 'problem' in query && query.isUnfinished && this.#isTyping;
    if ('problem' in query && !isUnfinished) return this.#refuse(query.problem);
    if ('condition' in query) this.#condition = query.condition;
    const condition = this.#condition;
    this.#field.setAttribute('aria-invalid', 'false');
    let fit = 0;
    for (const { row, texts } of rows) {
      row.hidden = !fitsRow(condition, texts);
      if (!row.hidden) fit += 1;
    }
    const all = this.#rows.length;
    const what = this.#isWhole ? count(all) : `the ${count(all)} that are loaded`;
    const isFiltered = this.#field.value.trim() !== '';
    const figures = isFiltered ? `${count(fit)} of ${what}` : all > 0 ? what : '';
    this.#figures.textContent = isUnfinished ? `${figures}, not finished` : figures;
    this.none.hidden = fit > 0 || all === 0;
    if (this.none.hidden) return;
    this.none.textContent = shownText(this.#wordsOfNone(rows.map(({ texts }) => texts)));
  }

  /** @param {readonly RowTexts[]} rows */
  #wordsOfNone(rows) {
    const hint = lowerCaseJoinHint(this.#field.value) || this.#valuesHint(rows);
    if (!this.#isWhole) {
      const words = `None of the ${count(rows.length)} that are loaded fits. There are more, which were not looked at.`;
      return `${words} ${hint}`.trimEnd();
    }
    return hint === '' ? 'None fits: take a word of the filter away.' : `None fits. ${hint}`;
  }

  /** What a column says instead of what is looked for in it, where that is a choice of few words. @param {readonly RowTexts[]} rows */
  #valuesHint(rows) {
    const found = textWithout(this.#condition, rows);
    if (found === undefined) return '';
    const { column, words } = found;
    const values = [...new Set(rows.map(({ cells }) => cells[column] ?? ''))].filter(Boolean);
    const isChoice = values.length <= valuesMax && values.join().length <= valueLettersMax;
    if (!isChoice || rows.some(({ times }) => times?.[column] !== undefined)) return '';
    const known = values.toSorted().join(', ') || 'nothing';
    return `The column “${this.#heads[column]}” has no “${words}” here, but ${known}.`;
  }

  /** @param {readonly RowTexts[]} texts of the rows @returns {ReturnType<typeof parseRowQuery>} */
  #understand(texts) {
    const query = parseRowQuery(this.#field.value, this.#heads);
    if ('problem' in query) return query;
    const found = columnWithout(query.condition, texts);
    if (found === undefined) return query;
    const name = this.#heads[found.column];
    const what = found.lacks === 'time' ? 'time' : 'number';
    const example = found.lacks === 'time' ? `${name}>=10` : `${name}>=2026-11-01`;
    const hint = found.hasOther ? ` It is compared as in ${example}.` : '';
    return { problem: `No row has a ${what} in its column “${name}”.${hint}`, isUnfinished: true };
  }

  /** @param {string} problem */
  #refuse(problem) {
    this.#field.setAttribute('aria-invalid', 'true');
    for (const row of this.#rows) row.hidden = true;
    this.#figures.textContent = 'Not understood';
    this.none.hidden = this.#rows.length === 0;
    this.none.textContent = problem;
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

/** What a filter may say. @param {readonly string[]} heads */
function waysFor(heads) {
  const named = heads.length > 0 ? 'column:word, column>=10, column>=2026-11-01, ' : '';
  const known = heads.filter((head) => head !== '').join(', ');
  const columns = heads.length > 0 ? `. Columns: ${known}` : '';
  return `word, "two words", ${named}*, AND, OR, NOT or -, brackets${columns}`;
}

/** What stands in a row, and in the titles of its parts. @param {HTMLElement} row */
function textsOf(row) {
  const parts = [...row.children].map((part) => folded(part.textContent));
  const titles = [...row.querySelectorAll('[title]')].map((part) => part.getAttribute('title'));
  const cells = columnsOfCards.get(row) ?? [...row.children];
  return {
    cells: cells.map((cell) => folded(typeof cell === 'string' ? cell : cell.textContent)),
    all: [...parts, folded(titles.join('\n'))].join('\n'),
    times: cells.map((cell) => (typeof cell === 'string' ? undefined : timeIn(cell))),
  };
}

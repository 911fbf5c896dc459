// A page that is a list: what the service is asked for, a filter of what is loaded, the rows, what to
// do while there are none, and a button for more.

import { ApiError, failureOf } from '../../http-server/page-assets/api-error.js';
import { element } from '../../http-server/page-assets/elements.js';
import { count } from '../../http-server/page-assets/format.js';
import { refuseUnknown } from './known-conditions.js';
import { leadsToSignIn } from './refused-key.js';
import { RowFilter } from './row-filter.js';
import { tableFrame } from './table.js';
import { rowsIn, updateRows } from './update-rows.js';

/** @import { Child } from '../../http-server/page-assets/elements.js' */
/** @import { Field, Loaded } from './types.ts' */

/**
 * @template Item
 * @param {{
 *   place: string,
 *   query: URLSearchParams,
 *   heads?: readonly string[],
 *   columns?: readonly string[],
 *   fields?: readonly Field[],
 *   read: (wanted: Readonly<Record<string, string>>, after: unknown) => Promise<Loaded<Item>>,
 *   row: (item: Item) => HTMLElement,
 *   nothing: readonly Child[],
 *   none?: string,
 * }} list `place`: its address, without the query. `heads`: of a table; without them rows are cards,
 *   and `columns` names what `withColumns` says of each.
 *   `fields`: what the service filters by. `read`: `after` is undefined, or what the page before
 *   said. `nothing`: what to do while there are no items at all; `none`: while none fits the fields
 * @returns {Promise<{ content: HTMLElement, refresh: () => Promise<void> }>}
 */
export async function listPage(list) {
  const { place, query, heads, columns = heads, fields = [], read, row, nothing, none } = list;
  const wanted = Object.fromEntries(
    fields.flatMap(({ name }) => {
      const value = query.get(name)?.trim() ?? '';
      return value === '' ? [] : [[name, value]];
    }),
  );
  const filter = new RowFilter(place, query, columns);
  const frame = heads === undefined ? cards() : tableFrame(heads);
  const isNarrowed = Object.keys(wanted).length > 0;
  const empty = isNarrowed ? [none ?? 'None fits: take a condition away.'] : nothing;
  const words = element('p', { class: 'empty' }, ...empty);
  const more = moreButton(async () => add(await read(wanted, state.after)));
  /** @type {{ items: Item[], after: unknown, pages: number }} */
  const state = { items: [], after: undefined, pages: 0 };

  /** The rows that are shown, by what their items say. @type {Map<string, HTMLElement>} */
  let known = new Map();
  const rowsOf = (/** @type {readonly Item[]} */ items) => {
    /** @type {Map<string, HTMLElement>} */
    const next = new Map();
    const rows = items.map((item) => {
      const says = JSON.stringify(item);
      const made = (next.has(says) ? undefined : known.get(says)) ?? row(item);
      next.set(says, made);
      return made;
    });
    known = next;
    return rows;
  };
  const tell = (/** @type {Loaded<Item>} */ { after, total, isWhole = true }) => {
    const { length } = state.items;
    state.after = after;
    const hasMore = after !== undefined;
    filter.show(rowsIn(frame.rows), isWhole && !hasMore);
    words.hidden = length > 0 || hasMore;
    frame.root.hidden = length === 0;
    more.show(hasMore, length, total);
  };
  const add = (/** @type {Loaded<Item>} */ next) => {
    state.items.push(...next.items);
    state.pages += 1;
    frame.rows.append(...rowsOf(next.items));
    tell(next);
  };
  const form = fields.length > 0 && fieldForm(place, fields, query, isNarrowed);
  const refusal = await refusalOf(async () => {
    refuseUnknown(query, [...fields.map(({ name }) => name), 'q']);
    add(await read(wanted, undefined));
  });
  if (refusal !== undefined) return refused(place, form, refusal);
  return {
    content: element(
      'div',
      { class: 'stack' },
      form,
      filter.root,
      words,
      filter.none,
      frame.root,
      more.root,
    ),
    refresh: async () => {
      // What somebody has paged to stays where it is.
      if (state.pages > 1) return;
      const next = await read(wanted, undefined);
      if (state.pages > 1) return;
      state.items = [...next.items];
      updateRows(frame.rows, rowsOf(next.items));
      tell(next);
    },
  };
}

/** What is wrong with the conditions; undefined: nothing. @param {() => Promise<void>} act */
async function refusalOf(act) {
  try {
    await act();
    return undefined;
  } catch (thrown) {
    if (thrown instanceof ApiError && [400, 422].includes(thrown.status)) return thrown.message;
    throw thrown;
  }
}

/** The conditions can be corrected, and nothing passes for their answer. @param {string} place @param {HTMLElement | false} form @param {string} refusal */
function refused(place, form, refusal) {
  const all = element('a', { href: place }, 'The list without conditions');
  const words = element('p', { class: 'bad', role: 'alert' }, refusal);
  return {
    content: element('div', { class: 'stack' }, form, words, element('p', {}, all)),
    refresh: async () => {},
  };
}

function cards() {
  const rows = element('ul', { class: 'cards' });
  return { root: rows, rows };
}

/** @param {() => Promise<void>} load */
function moreButton(load) {
  const button = element('button', { type: 'button' }, 'More');
  const figures = element('span', { class: 'quiet' });
  const problem = element('span', { class: 'bad', role: 'alert' });
  const root = element('div', { class: 'row' }, button, figures, problem);
  button.addEventListener('click', async () => {
    button.disabled = true;
    problem.textContent = '';
    try {
      await load();
    } catch (thrown) {
      if (!leadsToSignIn(thrown)) problem.textContent = failureOf(thrown).words;
    }
    button.disabled = false;
  });
  return {
    root,
    /** @param {boolean} hasMore @param {number} shown @param {number | undefined} total */
    show: (hasMore, shown, total) => {
      root.hidden = !hasMore;
      const looked = shown === 0 ? 'None among those that were looked at so far.' : '';
      figures.textContent =
        total === undefined ? looked : `${count(shown)} of ${count(total)} are loaded`;
    },
  };
}

/** What the service filters by. @param {string} place @param {readonly Field[]} fields @param {URLSearchParams} query @param {boolean} isNarrowed */
function fieldForm(place, fields, query, isNarrowed) {
  const parts = fields.map((field) => ({ field, input: inputOf(field, query) }));
  const form = element(
    'form',
    { class: 'row', 'aria-label': 'What is listed', autocomplete: 'off' },
    ...parts.map(({ field, input }) => element('label', {}, `${field.words} `, input)),
    element('button', { type: 'submit' }, 'Show'),
  );
  const show = () => {
    const given = parts.map(({ field, input }) => [field.name, input.value.trim()]);
    const kept = fields.some(({ name }) => name === 'q') ? '' : (query.get('q') ?? '');
    const next = new URLSearchParams([...given, ['q', kept]].filter(([, value]) => value !== ''));
    location.hash = next.size > 0 ? `${place}?${next}` : place;
  };
  for (const { input } of parts) {
    if (input instanceof HTMLSelectElement) input.addEventListener('change', show);
  }
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    show();
  });
  // On a narrow screen the rows come first.
  const isWide = window.matchMedia('(width > 720px)').matches;
  const details = { open: isWide || isNarrowed };
  return element('details', details, element('summary', {}, 'What is listed'), form);
}

/** @param {Field} field @param {URLSearchParams} query */
function inputOf({ name, options, type = 'text', placeholder }, query) {
  const value = query.get(name) ?? '';
  if (options === undefined) return element('input', { name, type, placeholder, value });
  // What an address names is chosen, also where nobody knows it: the service says so.
  const isKnown = value === '' || options.some((option) => option.value === value);
  const all = isKnown ? options : [...options, { value, words: value }];
  return element(
    'select',
    { name },
    ...[{ value: '', words: 'Any' }, ...all].map((option) =>
      element('option', { value: option.value, selected: option.value === value }, option.words),
    ),
  );
}

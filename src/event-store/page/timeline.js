// The list of events, newest first: pages of older ones, and new ones as they arrive.

import { element } from '../../http-server/page-assets/elements.js';
import { day } from '../../http-server/page-assets/format.js';
import { listEvents } from './api.js';
import { createCard, fillCard } from './event-card.js';

/** @import { Query, StoredEvent } from './types.ts' */

/** Events of one page: some screens full. */
const pageSize = '100';
/** New events of one page, and how many may wait: with more, the list is better loaded anew. */
const newSize = '100';
const waitingMax = 500;
/** Events that may be on one screen. */
const screenSize = '200';

export class Timeline {
  #list;
  #onSeen;
  /** @type {Map<string, StoredEvent>} those that are shown, in the order of the list */
  #shown = new Map();
  /** @type {StoredEvent[]} those that are not shown yet, oldest first */
  #arrived = [];
  /** @type {Set<Element>} */
  #onScreen = new Set();
  /** @type {Query} */
  #filter = {};
  /** @type {string | undefined} where the next page of older events begins */
  #older;
  /** Grows with each load, so that answers to earlier questions are dropped. */
  #generation = 0;
  #watcher = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting) this.#onScreen.add(target);
      else this.#onScreen.delete(target);
    }
  });

  /**
   * @param {HTMLElement} list
   * @param {(events: readonly StoredEvent[]) => void} onSeen called with all that is shown
   */
  constructor(list, onSeen) {
    this.#list = list;
    this.#onSeen = onSeen;
  }

  /** Throws the list away and loads its first page. @param {Query} filter */
  async load(filter) {
    this.#generation += 1;
    this.#filter = filter;
    const page = await this.#ask({ limit: pageSize });
    if (page === undefined) return;
    this.#watcher.disconnect();
    this.#onScreen.clear();
    this.#shown.clear();
    this.#arrived = [];
    this.#list.replaceChildren();
    this.#append(page.events);
    this.#older = page.next_timestamp ?? undefined;
  }

  /** Loads the next page of older events; without one it does nothing. */
  async loadOlder() {
    if (this.#older === undefined) return;
    const page = await this.#ask({ end_time: this.#older, limit: pageSize });
    if (page === undefined) return;
    this.#append(page.events);
    this.#older = page.next_timestamp ?? undefined;
  }

  /** Whether there are events older than the last one shown. */
  get hasOlder() {
    return this.#older !== undefined;
  }

  get size() {
    return this.#shown.size;
  }

  /** How many new events wait to be shown. */
  get waiting() {
    return this.#arrived.length;
  }

  /** Whether so many wait that no more are looked for: the list is to be loaded anew. */
  get isBehind() {
    return this.#arrived.length >= waitingMax;
  }

  /** Looks for events that arrived since. */
  async lookForNew() {
    const newest = this.#arrived.at(-1) ?? this.#shown.values().next().value;
    let from = newest?.created_at ?? this.#filter.start_time;
    while (!this.isBehind && !isPast(this.#filter.end_time, from)) {
      const page = await this.#ask({ start_time: from, sort_direction: 'asc', limit: newSize });
      if (page === undefined) return;
      const known = new Set(this.#arrived.map(({ id }) => id));
      const isNew = (/** @type {StoredEvent} */ { id }) => !known.has(id) && !this.#shown.has(id);
      this.#arrived.push(...page.events.filter(isNew));
      if (!page.next_timestamp) return;
      from = page.next_timestamp;
    }
  }

  /** Puts the new events at the top; gives them, newest first. */
  showNew() {
    const events = this.#arrived.reverse();
    this.#arrived = [];
    const before = this.#shown;
    this.#shown = new Map([...events.map((event) => pair(event)), ...before]);
    for (const [name, group] of byDay(events).reverse()) {
      this.#cardsOf(name, this.#list.firstElementChild, 'prepend').prepend(...this.#cards(group));
    }
    this.#onSeen(events);
    return events;
  }

  /** Brings the events on the screen up to date, and marks those that are gone. */
  async refresh() {
    const cards = [...this.#onScreen].filter((card) => card instanceof HTMLElement);
    const times = cards.flatMap((card) => this.find(idOf(card))?.created_at ?? []).sort();
    const [oldest] = times;
    if (oldest === undefined) return;
    const range = { start_time: oldest, end_time: times.at(-1) };
    const page = await this.#ask({ ...range, limit: screenSize });
    if (page === undefined) return;
    const found = new Map(page.events.map((event) => pair(event)));
    for (const card of cards) {
      const event = found.get(idOf(card));
      card.classList.toggle('is-gone', event === undefined && !page.next_timestamp);
      if (event && stateOf(event) !== stateOf(this.find(event.id))) fillCard(card, event);
      if (event) this.#shown.set(event.id, event);
    }
  }

  /** An event that is shown. @param {string} id */
  find(id) {
    return this.#shown.get(id);
  }

  /**
   * The event before (-1) or after (1) another one in the list.
   * @param {string} id
   * @param {number} step
   */
  neighbour(id, step) {
    const ids = [...this.#shown.keys()];
    const at = ids.indexOf(id);
    return at < 0 ? undefined : ids[at + step];
  }

  /** The card of an event. @param {string} id */
  card(id) {
    return this.#list.querySelector(`[data-id="${CSS.escape(id)}"]`);
  }

  /**
   * A page with the filter; undefined when the filter was changed meanwhile.
   * @param {Query} query
   */
  async #ask(query) {
    const mine = this.#generation;
    const page = await listEvents({ ...this.#filter, ...query });
    return mine === this.#generation ? page : undefined;
  }

  /** @param {readonly StoredEvent[]} events newest first */
  #append(events) {
    const fresh = events.filter(({ id }) => !this.#shown.has(id));
    for (const event of fresh) this.#shown.set(event.id, event);
    for (const [name, group] of byDay(fresh)) {
      this.#cardsOf(name, this.#list.lastElementChild, 'append').append(...this.#cards(group));
    }
    this.#onSeen(fresh);
  }

  /**
   * The list of the cards of a day: in the section that is there, or in a new one.
   * @param {string} name
   * @param {Element | null} section the one at that end of the list
   * @param {'append' | 'prepend'} end
   */
  #cardsOf(name, section, end) {
    const known = section?.firstElementChild?.textContent === name && section.lastElementChild;
    if (known) return known;
    const cards = element('ol', { class: 'cards' });
    this.#list[end](element('section', { class: 'day' }, element('h3', {}, name), cards));
    return cards;
  }

  /** @param {readonly StoredEvent[]} events */
  #cards(events) {
    return events.map((event) => {
      const card = createCard(event);
      this.#watcher.observe(card);
      return card;
    });
  }
}

/** What may change of an event. @param {StoredEvent | undefined} event */
export function stateOf(event) {
  return JSON.stringify([
    event?.draft,
    event?.upload_status,
    event?.upload_error,
    event?.hold,
    event?.current_file_count,
    event?.auto_finalized_at,
  ]);
}

/**
 * Events by the day on which they were stored, in their order.
 * @param {readonly StoredEvent[]} events
 */
function byDay(events) {
  return [...Map.groupBy(events, (event) => day(event.created_at))];
}

/** @param {HTMLElement} card */
function idOf(card) {
  return card.dataset.id ?? '';
}

/** @param {StoredEvent} event @returns {[string, StoredEvent]} */
function pair(event) {
  return [event.id, event];
}

/**
 * Whether nothing can arrive any more before this end.
 * @param {Query[string]} end
 * @param {Query[string]} from
 */
function isPast(end, from) {
  return typeof end === 'string' && typeof from === 'string' && new Date(end) < new Date(from);
}

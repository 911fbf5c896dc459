// Which events the timeline shows: what the form says, as query parameters and in the address.

import { byId, element } from '../../http-server/page-assets/elements.js';
import { listSchemas } from './api.js';

/** @import { Query, StoredEvent } from './types.ts' */

/** Fields whose text is the parameter. */
const texts = ['device_id', 'event_schema', 'workflow_id', 'external_id'];
/** Suggestions of a field: more would be no help. */
const suggestionsMax = 100;

export class Filters {
  #form = byId('filters', HTMLFormElement);
  /** @type {string[]} */
  #metadata = [];
  #onChange;

  /** @param {() => void} onChange */
  constructor(onChange) {
    this.#onChange = onChange;
    this.#read(new URLSearchParams(location.search));
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#addCondition();
      this.#changed();
    });
    this.#form.addEventListener('change', ({ target }) => {
      const isCondition = target instanceof Element && target.closest('.condition');
      if (!isCondition) this.#changed();
    });
    byId('add-condition', HTMLButtonElement).addEventListener('click', () => {
      if (this.#addCondition()) this.#changed();
    });
    byId('clear', HTMLButtonElement).addEventListener('click', () => {
      this.#read(new URLSearchParams());
      this.#changed();
    });
  }

  /** The query parameters of GET /v2/events. @returns {Query} */
  get query() {
    const period = this.#field('period').value;
    const range =
      period === 'range'
        ? { start_time: utc(this.#field('from').value), end_time: utc(this.#field('until').value) }
        : { start_time: period === '' ? undefined : ago(Number(period)) };
    const drafts = this.#field('include_drafts');
    return {
      ...Object.fromEntries(
        texts.map((name) => [name, this.#field(name).value.trim() || undefined]),
      ),
      ...range,
      metadata_filter: this.#metadata,
      include_drafts: drafts instanceof HTMLInputElement && drafts.checked ? undefined : 'false',
    };
  }

  /** Whether all events are wanted. */
  get isEmpty() {
    return Object.values(this.query).every((value) => value === undefined || value.length === 0);
  }

  /** Offers the schemas that the store knows. */
  async offerSchemas() {
    const { schemas } = await listSchemas();
    const field = this.#field('event_schema');
    const names = schemas.map(({ name }) => name);
    const wanted = field.value || new URLSearchParams(location.search).get('event_schema') || '';
    const all = [...new Set([...names, wanted].filter(Boolean))].sort();
    field.replaceChildren(
      element('option', { value: '' }, 'Any schema'),
      ...all.map((name) => element('option', { value: name }, name)),
    );
    field.value = wanted;
  }

  /** Offers the devices and workflows of events that were seen. @param {readonly StoredEvent[]} events */
  learn(events) {
    suggest(
      'devices',
      events.map((event) => event.device_id),
    );
    suggest(
      'workflows',
      events.map((event) => event.workflow_id),
    );
  }

  /** @param {string} name @returns {HTMLInputElement | HTMLSelectElement} */
  #field(name) {
    const field = this.#form.elements.namedItem(name);
    if (field instanceof HTMLInputElement || field instanceof HTMLSelectElement) return field;
    throw new Error(`The form has no ${name}.`);
  }

  /** Fills the form. @param {URLSearchParams} parameters */
  #read(parameters) {
    for (const name of [...texts, 'period', 'from', 'until']) {
      const field = this.#field(name);
      const value = parameters.get(name) ?? '';
      if (field instanceof HTMLSelectElement && value !== '' && !hasOption(field, value)) {
        field.append(element('option', { value }, value));
      }
      field.value = value;
    }
    const drafts = this.#field('include_drafts');
    if (drafts instanceof HTMLInputElement)
      drafts.checked = parameters.get('include_drafts') !== 'false';
    this.#metadata = parameters.getAll('metadata_filter').filter((text) => text.includes(':'));
    this.#show();
  }

  #changed() {
    this.#show();
    const parameters = new URLSearchParams();
    const { value: period } = this.#field('period');
    const kept = [...texts, 'period', ...(period === 'range' ? ['from', 'until'] : [])];
    for (const name of kept) {
      const { value } = this.#field(name);
      if (value.trim() !== '') parameters.set(name, value.trim());
    }
    for (const condition of this.#metadata) parameters.append('metadata_filter', condition);
    if (this.query.include_drafts) parameters.set('include_drafts', 'false');
    const search = parameters.size > 0 ? `?${parameters}` : location.pathname;
    history.replaceState(null, '', `${search}${location.hash}`);
    this.#onChange();
  }

  /** Shows what depends on other fields. */
  #show() {
    byId('range', HTMLElement).hidden = this.#field('period').value !== 'range';
    byId('conditions', HTMLElement).replaceChildren(
      ...this.#metadata.map((condition) => this.#conditionItem(condition)),
    );
  }

  /** @param {string} condition */
  #conditionItem(condition) {
    const remove = element('button', { type: 'button', 'aria-label': `Remove ${condition}` }, '×');
    remove.addEventListener('click', () => {
      this.#metadata = this.#metadata.filter((other) => other !== condition);
      this.#changed();
    });
    return element('li', {}, element('code', {}, condition), remove);
  }

  /** Takes the condition that was typed; false: there is none. */
  #addCondition() {
    const [key, operator, value] = ['key', 'operator', 'value'].map((name) => this.#field(name));
    if (!key?.value.trim() || !operator || !value) return false;
    const condition = `${key.value.trim()}:${operator.value}:${value.value}`;
    if (!this.#metadata.includes(condition)) this.#metadata.push(condition);
    key.value = '';
    value.value = '';
    key.focus();
    return true;
  }
}

/** @param {string} id @param {readonly (string | null | undefined)[]} values */
function suggest(id, values) {
  const list = byId(id, HTMLDataListElement);
  const known = new Set([...list.options].map(({ value }) => value));
  const fresh = new Set(values.filter((value) => typeof value === 'string' && !known.has(value)));
  const room = Math.max(0, suggestionsMax - known.size);
  list.append(
    ...[...fresh].slice(0, room).map((value) => element('option', { value: value ?? '' })),
  );
}

/** @param {HTMLSelectElement} field @param {string} value */
function hasOption(field, value) {
  return [...field.options].some((option) => option.value === value);
}

/** A local time of the form in UTC. @param {string} local */
function utc(local) {
  const time = new Date(local);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

/** @param {number} minutes */
function ago(minutes) {
  return new Date(Date.now() - minutes * 60_000).toISOString();
}

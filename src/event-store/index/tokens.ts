// What an event is found by in the index, and what a filter looks for there.

import type { Scalar } from '../../comparison.ts';
import { limits } from '../../limits.ts';
import { isFindable } from '../findable.ts';
import type { EventFilter, MetadataCondition } from '../store/store.ts';
import { type Prefix, prefixesOf, prefixesWithin } from './number-prefixes.ts';
import { addNumber, addText, beginHash, type HashState, tokenOf } from './token-hash.ts';

/** What of an event is in the index. */
export interface IndexedEvent {
  readonly deviceId: string | undefined;
  readonly eventSchema: string;
  readonly workflowId: string | undefined;
  readonly externalId: string | undefined;
  readonly relatedEventId: string | undefined;
  readonly customMetadata: unknown;
}

/** The tokens of one index, which has a salt of its own. */
export class Tokens {
  readonly #columns: Readonly<Record<Column, HashState>>;
  readonly #metadata: HashState;
  readonly #unindexedKeys: string;
  /** Keys come again with every event. */
  readonly #keys = new Map<string, HashState>();

  constructor(salt: number) {
    const begun = beginHash(salt);
    this.#columns = {
      deviceId: addText(begun, 'device '),
      eventSchema: addText(begun, 'schema '),
      workflowId: addText(begun, 'workflow '),
      externalId: addText(begun, 'external '),
      relatedEventId: addText(begun, 'related '),
    };
    this.#metadata = addText(begun, 'metadata ');
    this.#unindexedKeys = tokenOf(addText(begun, 'unindexed keys'));
  }

  /** Those of an event, with blanks between. */
  of(event: IndexedEvent): string {
    const tokens: string[] = [];
    for (const column of columns) {
      const value = event[column];
      if (value !== undefined) tokens.push(tokenOf(addText(this.#columns[column], value)));
    }
    let keys = 0;
    for (const [key, value] of Object.entries(Object(event.customMetadata))) {
      if (!isFindable(key, value)) continue;
      keys += 1;
      if (keys > limits.indexedKeysMax) {
        tokens.push(this.#unindexedKeys);
        break;
      }
      this.#addMember(tokens, this.#keyState(key), value);
    }
    return tokens.join(' ');
  }

  /**
   * A query of FTS5 that every event meets which meets the filter, where it is in the index. None:
   * it looks for nothing that is in there.
   */
  expressionOf(filter: EventFilter): string | undefined {
    const { deviceIds, eventSchemas, workflowIds, externalIds, relatedEventId } = filter;
    const related = relatedEventId === undefined ? undefined : [relatedEventId];
    const parts = [
      ...this.#columnParts('deviceId', deviceIds),
      ...this.#columnParts('eventSchema', eventSchemas),
      ...this.#columnParts('workflowId', workflowIds),
      ...this.#columnParts('externalId', externalIds),
      ...this.#columnParts('relatedEventId', related),
      ...this.#metadataParts(filter.metadata ?? []),
    ];
    return parts.length === 0 ? undefined : parts.map((part) => `(${part})`).join(' AND ');
  }

  #columnParts(column: Column, values: readonly string[] | undefined): string[] {
    if (values === undefined) return [];
    return [anyOf(values.map((value) => tokenOf(addText(this.#columns[column], value))))];
  }

  /** Events of which not all keys are in the index may meet any condition. */
  #metadataParts(conditions: readonly MetadataCondition[]): string[] {
    const ranges = new Map<string, Range>();
    const parts: string[] = [];
    for (const condition of conditions) {
      const range = rangeOf(condition);
      if (range === undefined) parts.push(this.#partOf(condition));
      else ranges.set(condition.key, inBoth(range, ranges.get(condition.key) ?? allNumbers));
    }
    for (const [key, { low, high }] of ranges) {
      const state = this.#keyState(key);
      parts.push(anyOf(prefixesWithin(low, high).map((prefix) => prefixToken(state, prefix))));
    }
    return parts.map((part) => `(${part}) OR ${this.#unindexedKeys}`);
  }

  #partOf({ key, operator, values }: MetadataCondition): string {
    const state = this.#keyState(key);
    const wanted = anyOf(values.map((value) => valueToken(state, value)));
    if (operator === 'eq') return wanted;
    // Texts are in no order here: all that have the key are looked at.
    return operator === 'ne' ? `${tokenOf(state)} NOT (${wanted})` : tokenOf(state);
  }

  #addMember(tokens: string[], state: HashState, value: Scalar): void {
    tokens.push(tokenOf(state), valueToken(state, value));
    if (typeof value !== 'number') return;
    for (const prefix of prefixesOf(value)) tokens.push(prefixToken(state, prefix));
  }

  #keyState(key: string): HashState {
    const known = this.#keys.get(key);
    if (known) return known;
    if (this.#keys.size >= limits.indexedKeysKeptMax) this.#keys.clear();
    const state = addNumber(addText(this.#metadata, key), key.length);
    this.#keys.set(key, state);
    return state;
  }
}

const columns = [
  'deviceId',
  'eventSchema',
  'workflowId',
  'externalId',
  'relatedEventId',
] as const satisfies readonly (keyof IndexedEvent)[];

type Column = (typeof columns)[number];

/** No event has the token of an empty list: tokens of hashes are longer. */
function anyOf(tokens: readonly string[]): string {
  return tokens.length === 0 ? 'x' : [...new Set(tokens)].join(' OR ');
}

/** The types never meet; both zeros are one number. */
function valueToken(state: HashState, value: Scalar): string {
  const text = typeof value === 'number' ? String(value + 0) : String(value);
  return tokenOf(addText(addText(state, typeof value), text));
}

function prefixToken(state: HashState, { level, bits }: Prefix): string {
  return tokenOf(addNumber(addNumber(state, -1 - level), bits));
}

/** Both included. */
interface Range {
  readonly low: number;
  readonly high: number;
}

const allNumbers: Range = { low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY };

/** Undefined: not of numbers alone, or no range. */
function rangeOf({ operator, values }: MetadataCondition): Range | undefined {
  if (operator === 'eq' || operator === 'ne') return undefined;
  const numbers = values.filter((value) => typeof value === 'number');
  if (numbers.length === 0 || numbers.length < values.length) return undefined;
  return operator === 'gt' || operator === 'gte'
    ? { low: Math.min(...numbers), high: allNumbers.high }
    : { low: allNumbers.low, high: Math.max(...numbers) };
}

function inBoth(one: Range, other: Range): Range {
  return { low: Math.max(one.low, other.low), high: Math.min(one.high, other.high) };
}

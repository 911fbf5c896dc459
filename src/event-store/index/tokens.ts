// What an event is found by in the index, and what a filter looks for there.

import { isJsonObject } from '../../json-object.ts';
import { limits } from '../../limits.ts';
import { type Scalar, valueMeets } from '../../value-conditions.ts';
import { isFilterable, isScalar } from '../filterable-values.ts';
import { detectionLists } from '../store/matching.ts';
import type {
  DetectionCondition,
  EventFilter,
  EventImage,
  MetadataCondition,
} from '../store/store.ts';
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
  readonly eventData: unknown;
  readonly images: readonly EventImage[];
}

/** The tokens of one index, which has a salt of its own. */
export class Tokens {
  readonly #columns: Readonly<Record<Column, HashState>>;
  readonly #metadata: Keys;
  readonly #eventData: Keys;
  readonly #classes: HashState;
  readonly #unindexed: string;

  constructor(salt: number) {
    const begun = beginHash(salt);
    this.#columns = {
      deviceId: addText(begun, 'device '),
      eventSchema: addText(begun, 'schema '),
      workflowId: addText(begun, 'workflow '),
      externalId: addText(begun, 'external '),
      relatedEventId: addText(begun, 'related '),
    };
    this.#metadata = new Keys(addText(begun, 'metadata '));
    this.#eventData = new Keys(addText(begun, 'data '));
    this.#classes = addText(begun, 'class ');
    this.#unindexed = tokenOf(addText(begun, 'unindexed'));
  }

  /** Those of an event, with blanks between. */
  of(event: IndexedEvent): string {
    const tokens: string[] = [];
    for (const column of columns) {
      const value = event[column];
      if (value !== undefined) tokens.push(tokenOf(addText(this.#columns[column], value)));
    }
    const isWhole =
      this.#addMembers(tokens, this.#metadata, membersOf(event.customMetadata)) &&
      this.#addMembers(tokens, this.#eventData, membersInside(event.eventData)) &&
      this.#addClasses(tokens, event.images);
    if (!isWhole) tokens.push(this.#unindexed);
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
      ...this.#memberParts(this.#metadata, filter.metadata ?? []),
      ...this.#memberParts(this.#eventData, filter.eventData ?? []),
      ...this.#classParts(filter.detections ?? []),
    ];
    return parts.length === 0 ? undefined : parts.map((part) => `(${part})`).join(' AND ');
  }

  #columnParts(column: Column, values: readonly string[] | undefined): string[] {
    if (values === undefined) return [];
    return [anyOf(values.map((value) => tokenOf(addText(this.#columns[column], value))))];
  }

  /** Events of which not all is in the index may meet any condition. */
  #memberParts(keys: Keys, conditions: readonly MetadataCondition[]): string[] {
    const ranges = new Map<string, Range>();
    const parts: string[] = [];
    for (const condition of conditions) {
      const range = rangeOf(condition);
      if (range === undefined) parts.push(partOf(keys, condition));
      else ranges.set(condition.key, inBoth(range, ranges.get(condition.key) ?? allNumbers));
    }
    for (const [key, { low, high }] of ranges) {
      const { state } = keys.of(key);
      parts.push(anyOf(prefixesWithin(low, high).map((prefix) => prefixToken(state, prefix))));
    }
    return parts.map((part) => `(${part}) OR ${this.#unindexed}`);
  }

  /** Where there must be a detection, its class is one of these. */
  #classParts(conditions: readonly DetectionCondition[]): string[] {
    return conditions.flatMap(({ terms, counts }) => {
      if (counts.every(({ operator, values }) => valueMeets(0, operator, values))) return [];
      const named = terms.filter(({ key, operator }) => key === 'class' && operator === 'eq');
      return named.map(({ values }) => {
        const tokens = values.map((value) => valueToken(this.#classes, value));
        return `(${anyOf(tokens)}) OR ${this.#unindexed}`;
      });
    });
  }

  /** False: they are too many. */
  #addMembers(tokens: string[], keys: Keys, members: Iterable<Member>): boolean {
    let count = 0;
    for (const [key, name, value] of members) {
      if (!isFilterable(name, value)) continue;
      count += 1;
      if (count > limits.indexedKeysMax) return false;
      const { state, token } = keys.of(key);
      tokens.push(token, valueToken(state, value));
      if (typeof value !== 'number') continue;
      for (const prefix of prefixesOf(value)) tokens.push(prefixToken(state, prefix));
    }
    return true;
  }

  #addClasses(tokens: string[], images: readonly EventImage[]): boolean {
    const classes = new Set<Scalar>();
    for (const image of images) {
      for (const list of detectionLists) {
        for (const one of image[list]) {
          if (isJsonObject(one) && isScalar(one.class)) classes.add(one.class);
        }
      }
    }
    if (classes.size > limits.indexedKeysMax) return false;
    for (const name of classes) tokens.push(valueToken(this.#classes, name));
    return true;
  }
}

interface Key {
  /** What the tokens of its values begin with. */
  readonly state: HashState;
  readonly token: string;
}

/** Keys come again with every event. */
class Keys {
  readonly #begun: HashState;
  readonly #known = new Map<string, Key>();

  constructor(begun: HashState) {
    this.#begun = begun;
  }

  of(key: string): Key {
    const known = this.#known.get(key);
    if (known) return known;
    if (this.#known.size >= limits.indexedKeysKeptMax) this.#known.clear();
    const state = addNumber(addText(this.#begun, key), key.length);
    const made = { state, token: tokenOf(state) };
    this.#known.set(key, made);
    return made;
  }
}

/** `key`: what a filter calls it; `name`: its own. */
type Member = readonly [key: string, name: string, value: unknown];

function* membersOf(holder: unknown): Generator<Member> {
  for (const [name, value] of Object.entries(Object(holder))) yield [name, name, value];
}

/** Those of nested objects too, by their paths. */
function* membersInside(holder: unknown, path = ''): Generator<Member> {
  if (!isJsonObject(holder)) return;
  for (const [name, value] of Object.entries(holder)) {
    yield [path + name, name, value];
    yield* membersInside(value, `${path}${name}.`);
  }
}

function partOf(keys: Keys, { key, operator, values }: MetadataCondition): string {
  const { state, token } = keys.of(key);
  const wanted = anyOf(values.map((value) => valueToken(state, value)));
  if (operator === 'eq') return wanted;
  // Two members may have the same path. Texts are in no order here.
  const isTold = operator === 'ne' && !key.includes('.');
  return isTold ? `${token} NOT (${wanted})` : token;
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

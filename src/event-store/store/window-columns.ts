// The values of one key in a window of events: which of its events have one, and the values, as
// two JSON texts. Numbers that grow stand as their differences.

import { FoveaError } from '../../errors.ts';
import type { MetadataValue } from './store.ts';
import { isScalar } from './terms.ts';

/** `places`: of the events in their window, in order; undefined: all of them. A value for each. */
export type ColumnTexts = readonly [
  key: number,
  size: number,
  places: string | undefined,
  values: string,
];

/** The columns of a window, while they grow. */
export class Columns {
  readonly #columns = new Map<number, { places: number[]; values: MetadataValue[] }>();

  /** Places come in order. */
  add(key: number, place: number, value: MetadataValue): void {
    const column = this.#columns.get(key);
    if (column) {
      column.places.push(place);
      column.values.push(value);
    } else this.#columns.set(key, { places: [place], values: [value] });
  }

  /** Of a window of so many events: each key with its texts. */
  texts(events: number): ColumnTexts[] {
    return [...this.#columns].map(([key, { places, values }]) => {
      const text = places.length === events ? undefined : JSON.stringify(places);
      return [key, places.length, text, textOf(values)];
    });
  }
}

export function readPlaces(text: string | undefined): readonly number[] | undefined {
  if (text === undefined) return undefined;
  const places: unknown = JSON.parse(text);
  if (!isNumbers(places)) throw noColumn();
  return places;
}

export function readValues(text: string): readonly MetadataValue[] {
  const { values, codes } = readCoded(text);
  return codes === undefined ? values : codes.map((code) => values[code] ?? '');
}

/**
 * `codes`: where values stand once, which one it is at each place; undefined: all stand in order.
 */
export function readCoded(text: string): {
  readonly values: readonly MetadataValue[];
  readonly codes: readonly number[] | undefined;
} {
  const values: unknown = JSON.parse(text);
  if (isScalars(values)) return { values, codes: undefined };
  if (!Array.isArray(values)) throw noColumn();
  const [distinct, codes]: unknown[] = values;
  if (!isScalars(distinct) || !isNumbers(codes)) throw noColumn();
  return { values: distinct, codes };
}

/** Where most values come again: each of them once, and which one it is at each place. */
function textOf(values: readonly MetadataValue[]): string {
  const codes = new Map<MetadataValue, number>();
  for (const value of values) if (!codes.has(value)) codes.set(value, codes.size);
  if (codes.size * 4 > values.length) return JSON.stringify(values);
  return JSON.stringify([[...codes.keys()], values.map((value) => codes.get(value))]);
}

/** A loop, since this is done for each window that a query looks through. */
function isScalars(values: unknown): values is MetadataValue[] {
  if (!Array.isArray(values)) return false;
  for (let index = 0; index < values.length; index += 1) {
    if (!isScalar(values[index])) return false;
  }
  return true;
}

function isNumbers(values: unknown): values is number[] {
  return Array.isArray(values) && values.every((value) => typeof value === 'number');
}

/** Growing numbers as the first one and the steps from each to the next. */
export function stepsOf(numbers: readonly number[]): string {
  let before = 0;
  return JSON.stringify(
    numbers.map((number) => {
      const step = number - before;
      before = number;
      return step;
    }),
  );
}

export function readSteps(text: string): number[] {
  let sum = 0;
  const numbers: number[] = [];
  for (const step of readValues(text)) {
    sum += Number(step);
    numbers.push(sum);
  }
  return numbers;
}

function noColumn(): FoveaError {
  return new FoveaError('internal', 'The database holds a column of the index that is none.');
}

// Events of the windows of the index that may meet conditions.

import { valueMeets } from '../../comparison.ts';
import type { Database } from '../../storage/database.ts';
import { type Column, keptColumns } from './kept-columns.ts';
import type { Bounds, Order } from './runs.ts';
import type { Arrival, MetadataValue } from './store.ts';
import type { TermCondition } from './term-runs.ts';
import { maybeShortened, shortened } from './terms.ts';

/**
 * The arrivals in the window that ends at `until`, within bounds, of events that may meet all the
 * conditions. Undefined: there is no such window any more, since its rows are in `terms` now.
 */
export function arrivalsInWindow(
  database: Database,
  until: Arrival,
  conditions: readonly TermCondition[],
  { bounds, order }: { readonly bounds: Bounds; readonly order: Order },
): Arrival[] | undefined {
  const kept = keptColumns(database);
  let places: readonly number[] | undefined;
  for (const condition of conditions) {
    const column = kept.column(until, condition.key);
    if (column === undefined) return undefined;
    const found = placesOf(column, condition);
    places = places === undefined ? found : inBoth(places, found);
    if (places.length === 0) return [];
  }
  const arrivals = kept.arrivals(until);
  if (arrivals === undefined) return undefined;
  const found = places?.map((place) => arrivals[place] ?? 0) ?? arrivals;
  const { from, until: last } = bounds;
  const within = found.filter((arrival) => arrival >= from && arrival <= last);
  return order === 'newest_first' ? within.reverse() : within;
}

/** The places that meet a condition, in order. */
function placesOf({ values, codes, places }: Column, condition: TermCondition): readonly number[] {
  const meets = testOf(condition);
  const found: number[] = [];
  if (codes === undefined) {
    for (let index = 0; index < values.length; index += 1) {
      const value = values[index];
      if (value !== undefined && meets(value)) found.push(places?.[index] ?? index);
    }
    return found;
  }
  const wanted = values.map(meets);
  if (!wanted.includes(true)) return found;
  for (let index = 0; index < codes.length; index += 1) {
    if (wanted[codes[index] ?? -1] === true) found.push(places?.[index] ?? index);
  }
  return found;
}

/** Whether an event may meet a condition, by the value that is stored of it. */
function testOf({ operator, values }: TermCondition): (stored: MetadataValue) => boolean {
  if (operator === 'eq') {
    const wanted = new Set(values.map(storedIn));
    const [only] = wanted;
    if (wanted.size === 1) return (stored) => stored === only;
    return (stored) => wanted.has(stored);
  }
  return (stored) =>
    (typeof stored === 'string' && maybeShortened(stored)) || valueMeets(stored, operator, values);
}

function storedIn(value: MetadataValue): MetadataValue {
  return typeof value === 'string' ? shortened(value) : value;
}

function inBoth(first: readonly number[], second: readonly number[]): readonly number[] {
  const also = new Set(second);
  return first.filter((place) => also.has(place));
}

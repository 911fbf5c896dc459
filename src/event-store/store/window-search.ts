// Events of the windows of the index that may meet conditions.

import type { Database } from '../../storage/database.ts';
import { type Column, keptColumns } from './kept-columns.ts';
import { valueMeets } from './matching.ts';
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
function placesOf({ codes, all, places }: Column, condition: TermCondition): readonly number[] {
  const wanted = codesOf(codes, condition);
  const [only] = wanted;
  const found: number[] = [];
  if (only === undefined) return found;
  for (let index = 0; index < all.length; index += 1) {
    const code = all[index] ?? 0;
    if (code === only || (wanted.size > 1 && wanted.has(code)))
      found.push(places?.[index] ?? index);
  }
  return found;
}

/** Those of the values that may meet a condition, by what is stored of them. */
function codesOf(
  codes: ReadonlyMap<MetadataValue, number>,
  { operator, values }: TermCondition,
): ReadonlySet<number> {
  const wanted = new Set<number>();
  if (operator === 'eq') {
    for (const value of values) {
      const code = codes.get(typeof value === 'string' ? shortened(value) : value);
      if (code !== undefined) wanted.add(code);
    }
    return wanted;
  }
  for (const [stored, code] of codes) {
    const isStart = typeof stored === 'string' && maybeShortened(stored);
    if (isStart || valueMeets(stored, operator, values)) wanted.add(code);
  }
  return wanted;
}

function inBoth(first: readonly number[], second: readonly number[]): readonly number[] {
  const also = new Set(second);
  return first.filter((place) => also.has(place));
}

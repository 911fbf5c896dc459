// Events of the windows of the index that may meet conditions.

import type { Database, Row } from '../../storage/database.ts';
import { valueMeets } from './matching.ts';
import type { Bounds, Order } from './runs.ts';
import type { Arrival, MetadataValue } from './store.ts';
import type { TermCondition } from './term-runs.ts';
import { maybeShortened, reservedKeys, shortened } from './terms.ts';
import { readPlaces, readSteps, readValues } from './window-columns.ts';

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
  let places: readonly number[] | undefined;
  for (const condition of conditions) {
    places = placesOf(database, until, condition, places);
    if (places.length === 0) break;
  }
  // Last, because a window goes all at once: so until here all was as it was.
  if (places?.length === 0) return isThere(database, until) ? [] : undefined;
  const arrivals = arrivalsOf(database, until);
  if (arrivals === undefined) return undefined;
  const found = places?.map((place) => arrivals[place] ?? 0) ?? arrivals;
  const { from, until: last } = bounds;
  const within = found.filter((arrival) => arrival >= from && arrival <= last);
  return order === 'newest_first' ? within.reverse() : within;
}

function isThere(database: Database, until: Arrival): boolean {
  const sql = 'SELECT 1 AS found FROM windows WHERE until = ?';
  return database.get(sql, [until], () => true) ?? false;
}

function arrivalsOf(database: Database, until: Arrival): number[] | undefined {
  return database.get(
    'SELECT "values" FROM window_columns WHERE until = ? AND key = ?',
    [until, reservedKeys.arrival],
    (row) => readSteps(row.text('values')),
  );
}

/** The places that meet a condition, in order; of these alone where some are given. */
function placesOf(
  database: Database,
  until: Arrival,
  condition: TermCondition,
  among: readonly number[] | undefined,
): readonly number[] {
  const { key } = condition;
  const { sql, parameters } = needlesOf(condition);
  const read = (row: Row) => {
    const places = readPlaces(row.optionalText('places'));
    const values = readValues(row.text('values'));
    const meets = testOf(condition);
    const found: number[] = [];
    if (among !== undefined && places === undefined) {
      for (const place of among) {
        const value = values[place];
        if (value !== undefined && meets(value)) found.push(place);
      }
      return found;
    }
    const wanted = among && new Set(among);
    for (let index = 0; index < values.length; index += 1) {
      const value = values[index];
      if (value === undefined || !meets(value)) continue;
      const place = places?.[index] ?? index;
      if (wanted?.has(place) !== false) found.push(place);
    }
    return found;
  };
  const columns = `SELECT places, "values" FROM window_columns WHERE until = ? AND key = ?${sql}`;
  return database.get(columns, [until, key, ...parameters], read) ?? [];
}

/** A column that does not hold a value as text need not be taken apart. */
function needlesOf({ operator, values }: TermCondition) {
  if (operator !== 'eq' || values.length > needlesMax) return { sql: '', parameters: [] };
  const looks = values.map(() => 'instr("values", ?) > 0').join(' OR ');
  const parameters = values.map((value) => JSON.stringify(storedIn(value)));
  return { sql: ` AND (${values.length > 0 ? looks : 'false'})`, parameters };
}

const needlesMax = 8;

function storedIn(value: MetadataValue): MetadataValue {
  return typeof value === 'string' ? shortened(value) : value;
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

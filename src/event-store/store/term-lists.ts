// Rows of the table `terms` that stand for many events with the same value.

import type { Arrival } from './store.ts';
import { readSteps } from './window-columns.ts';

/**
 * The arrivals of a value, cut into lists that lie within a page. Undefined: they are few, and each
 * is a row of its own. All or none, so that fewer of them never make one that was a row a part of a
 * list.
 */
export function listed(arrivals: readonly Arrival[]): Arrival[][] | undefined {
  if (arrivals.length < listEventsMin) return undefined;
  const lists: Arrival[][] = [];
  let list: Arrival[] = [];
  let characters = 0;
  for (const arrival of arrivals) {
    list.push(arrival);
    characters += String(arrival - (list.at(-2) ?? 0)).length + 1;
    if (characters < listCharactersMax) continue;
    lists.push(list);
    list = [];
    characters = 0;
  }
  return list.length === 0 ? lists : [...lists, list];
}

const listEventsMin = 16;

/** More would go on in pages of their own, with the value beside it. */
const listCharactersMax = 700;

/** All arrivals of a row, whether they are still there or not. */
export function arrivalsOfRow(arrival: Arrival, list: string | undefined): readonly Arrival[] {
  return list === undefined ? [arrival] : readSteps(list);
}

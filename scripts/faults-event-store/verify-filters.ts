// Holds what the index of a store finds against a look at all of its events.

import { isThere, keyOf, listEvents, type Stored } from './list-stored-events.ts';

interface Filter {
  readonly query: Readonly<Record<string, string>>;
  holds(event: Stored): boolean;
}

/** In words; `events`: all of them, by their key. A cleanup may be at work. */
export async function wrongAnswersToFilters(
  url: string,
  events: ReadonlyMap<string, Stored>,
): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const filter of filtersFor([...events.values()])) {
    for (const order of ['asc', 'desc'] as const) {
      wrong.push(...(await wrongAnswers(url, events, filter, order)));
    }
  }
  return wrong;
}

async function wrongAnswers(
  url: string,
  events: ReadonlyMap<string, Stored>,
  { query, holds }: Filter,
  order: 'asc' | 'desc',
): Promise<readonly string[]> {
  const wrong: string[] = [];
  const found = await listEvents(url, query, order);
  const said = `${new URLSearchParams(query)} ${order}`;
  for (const [key, event] of events) {
    if (!holds(event) || found.has(key)) continue;
    if (await isThere(url, event.id)) wrong.push(`${said} leaves out ${key}`);
  }
  for (const [key, event] of found) {
    if (!events.has(key) || !holds(event)) wrong.push(`${said} finds ${key}`);
  }
  return wrong;
}

/** Values that many events have, values that few have, a range, and ids of single ones. */
function filtersFor(events: readonly Stored[]): readonly Filter[] {
  const some = Array.from({ length: someMax }, () => oneOf(events)).filter(
    (event) => event !== undefined,
  );
  return [
    ...some.map(({ device_id }) => ({
      query: { device_id: String(device_id) },
      holds: (event: Stored) => event.device_id === device_id,
    })),
    ...some.map(lotOf).map((lot) => ({
      query: { metadata_filter: `lot:${lot}` },
      holds: (event: Stored) => lotOf(event) === lot,
    })),
    { query: { metadata_filter: 'lot:gt:980' }, holds: (event) => lotOf(event) > 980 },
    ...some.map(keyOf).map((id) => ({
      query: { external_id: id },
      holds: (event: Stored) => keyOf(event) === id,
    })),
  ];
}

const someMax = 3;

function oneOf(events: readonly Stored[]): Stored | undefined {
  return events[Math.floor(Math.random() * events.length)];
}

function lotOf(event: Stored): number {
  return Number(Object(event.custom_metadata).lot);
}

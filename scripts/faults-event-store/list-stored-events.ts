// What a store under trial has, by its own word.

export type Stored = Readonly<Record<string, unknown>>;

/** All events by their key, or those that a query asks for: from all pages, in their order. */
export async function listEvents(
  url: string,
  filter: Readonly<Record<string, string>> = {},
  order: 'asc' | 'desc' = 'asc',
): Promise<ReadonlyMap<string, Stored>> {
  const found = new Map<string, Stored>();
  const query = new URLSearchParams({ limit: '1000', sort_direction: order, ...filter });
  for (;;) {
    const page = await readJson(`${url}/v2/events?${query}`);
    for (const event of page.events) found.set(keyOf(event), event);
    if (page.next_timestamp === null) return found;
    query.set(order === 'asc' ? 'start_time' : 'end_time', page.next_timestamp);
  }
}

export function keyOf(event: Stored): string {
  return String(Object(event.event_data).externalId);
}

export async function isThere(url: string, id: unknown): Promise<boolean> {
  return (await fetch(`${url}/v2/events/${id}`)).status === 200;
}

// biome-ignore lint/suspicious/noExplicitAny: answers of many shapes, which the store checks
export async function readJson(url: string): Promise<any> {
  const response = await fetch(url);
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${url} answered ${response.status} ${text}`);
  return JSON.parse(text);
}

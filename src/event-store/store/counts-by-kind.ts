// How many events there are of each device, schema and workflow together: for counts.

import { limits } from '../../limits.ts';
import type { Database } from '../../storage/database.ts';
import type { Totals } from './totals.ts';

interface Kind {
  readonly deviceId: string | undefined;
  readonly eventSchema: string;
  readonly workflowId: string | undefined;
}

/**
 * What one transaction changes in it. There is a bound to the rows: events of kinds beyond it are
 * counted together. As long as there are any no row is made, so each event stays where it is
 * counted.
 */
export class CountsByKind {
  readonly #changes = new Map<string, { readonly kind: Kind; events: number }>();

  add({ deviceId, eventSchema, workflowId }: Kind, events: 1 | -1): void {
    // With the lengths no two kinds have the same. Made for every event, so not with JSON.
    const lengths = `${eventSchema.length} ${deviceId?.length} ${workflowId?.length}`;
    const name = `${lengths} ${eventSchema}${deviceId}${workflowId}`;
    const known = this.#changes.get(name);
    if (known) known.events += events;
    else this.#changes.set(name, { kind: { deviceId, eventSchema, workflowId }, events });
  }

  finish(database: Database, totals: Totals): void {
    for (const { kind, events } of this.#changes.values()) {
      if (events === 0) continue;
      if (change(database, kind, events) > 0) {
        if (events < 0) removeEmpty(database, kind);
      } else if (events > 0 && hasRoom(database, totals)) insert(database, kind, events);
      else totals.add('other_kinds', events);
    }
  }
}

const ofKind = 'event_schema = ? AND device_id IS ? AND workflow_id IS ?';

function valuesOf({ eventSchema, deviceId, workflowId }: Kind) {
  return [eventSchema, deviceId, workflowId];
}

function change(database: Database, kind: Kind, events: number): number {
  const sql = `UPDATE kinds SET events = events + ? WHERE ${ofKind}`;
  return database.run(sql, [events, ...valuesOf(kind)]);
}

function removeEmpty(database: Database, kind: Kind): void {
  database.run(`DELETE FROM kinds WHERE ${ofKind} AND events = 0`, valuesOf(kind));
}

function hasRoom(database: Database, totals: Totals): boolean {
  if (totals.get('other_kinds') > 0) return false;
  const isFull = database.get(
    'SELECT 1 FROM kinds LIMIT 1 OFFSET ?',
    [limits.countedKindsMax - 1],
    () => true,
  );
  return isFull !== true;
}

function insert(database: Database, kind: Kind, events: number): void {
  const sql =
    'INSERT INTO kinds (event_schema, device_id, workflow_id, events) VALUES (?, ?, ?, ?)';
  database.run(sql, [...valuesOf(kind), events]);
}

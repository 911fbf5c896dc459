// A look through the events themselves, for what SQLite can tell of a filter without reading JSON.

import type { Run } from './runs.ts';
import type { EventFilter } from './store.ts';

/** All events that may meet the filter. */
export function roughRun(query: EventFilter): Run {
  const conditions = ['true'];
  const parameters: string[] = [];
  const add = (condition: string, values: readonly string[] | undefined) => {
    if (values === undefined) return;
    conditions.push(condition);
    parameters.push(JSON.stringify(values));
  };
  add('device_id IN (SELECT value FROM json_each(?))', query.deviceIds);
  add('event_schema IN (SELECT value FROM json_each(?))', query.eventSchemas);
  add('workflow_id IN (SELECT value FROM json_each(?))', query.workflowIds);
  add('external_id IN (SELECT value FROM json_each(?))', query.externalIds);
  if (query.relatedEventId !== undefined) {
    conditions.push('related_event_id = ?');
    parameters.push(query.relatedEventId);
  }
  for (const { key, operator, values } of query.metadata ?? []) {
    // As JSON.stringify writes it.
    const value = operator === 'eq' && values.length === 1 ? JSON.stringify(values[0]) : '';
    conditions.push('instr(custom_metadata, ?) > 0');
    parameters.push(`${JSON.stringify(key)}:${value}`);
  }
  return { sql: `FROM events WHERE ${conditions.join(' AND ')}`, parameters };
}

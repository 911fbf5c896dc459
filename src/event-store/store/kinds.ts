// The roll-up of events by device, schema and workflow.

import type { CountedTable } from './counted-ids.ts';

export interface Kind {
  readonly deviceId: string | undefined;
  readonly eventSchema: string;
  readonly workflowId: string | undefined;
}

export const kinds: CountedTable<Kind> = {
  name: 'kinds',
  // With the lengths no two kinds have the same. Made for every event, so not with JSON.
  nameOf: ({ deviceId, eventSchema, workflowId }) => {
    const lengths = `${eventSchema.length} ${deviceId?.length} ${workflowId?.length}`;
    return `${lengths} ${eventSchema}${deviceId}${workflowId}`;
  },
  find: (database, { eventSchema, deviceId, workflowId }) =>
    database.get(
      'SELECT id FROM kinds WHERE event_schema = ? AND device_id IS ? AND workflow_id IS ?',
      [eventSchema, deviceId, workflowId],
      (row) => row.integer('id'),
    ),
  insert: (database, { eventSchema, deviceId, workflowId }) => {
    database.run(
      'INSERT INTO kinds (event_schema, device_id, workflow_id, events) VALUES (?, ?, ?, 0)',
      [eventSchema, deviceId, workflowId],
    );
  },
};

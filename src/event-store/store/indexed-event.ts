// What queries look for in an event, and how many events have it.

import type { Row } from '../../storage/database.ts';
import type { Arrival } from './store.ts';
import { findableMembers } from './terms.ts';

export interface IndexedEvent {
  readonly arrival: Arrival;
  readonly number: number;
  readonly deviceId: string | undefined;
  readonly eventSchema: string;
  readonly workflowId: string | undefined;
  readonly externalId: string | undefined;
  readonly relatedEventId: string | undefined;
  /** Where it is large, what of it is indexed. */
  readonly customMetadata: unknown;
}

/** An event of this transaction. */
export interface CreatedEvent extends IndexedEvent {
  readonly id: string;
}

export const indexedColumns = `arrival, number, device_id, event_schema, workflow_id, external_id,
  related_event_id, custom_metadata`;

export function readIndexedEvent(row: Row): IndexedEvent {
  return {
    arrival: row.integer('arrival'),
    number: row.integer('number'),
    deviceId: row.optionalText('device_id'),
    eventSchema: row.text('event_schema'),
    workflowId: row.optionalText('workflow_id'),
    externalId: row.optionalText('external_id'),
    relatedEventId: row.optionalText('related_event_id'),
    customMetadata: indexedMetadata(
      row.optionalJson('custom_metadata'),
      row.optionalText('custom_metadata'),
    ),
  };
}

/** Hundreds of events are kept until they are a window. `text`: the JSON of the other. */
export function indexedMetadata(customMetadata: unknown, text: string | undefined): unknown {
  const isLarge = text !== undefined && text.length > largeCharactersMin;
  return isLarge ? findableMembers(customMetadata) : customMetadata;
}

const largeCharactersMin = 4_096;

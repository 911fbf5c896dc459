// What the page reads from the service, as the contract has it.

import type { deviceOperations } from '../../contract/device-operations.ts';
import type { Answer } from '../../contract/operation.ts';

export type StoredEvent = Answer<typeof deviceOperations.events_get>;
export type EventsPage = Answer<typeof deviceOperations.events_list>;
export type Stats = Answer<typeof deviceOperations.events_stats>;
export type Ledger = Answer<typeof deviceOperations.events_ledger>;
export type EventSchemas = Answer<typeof deviceOperations.event_schemas_list>;
export type EventImage = NonNullable<StoredEvent['images']>[number];
export type Attachment = NonNullable<StoredEvent['videos']>[number];

/** Query parameters; an array is a parameter that is repeated. */
export type Query = Readonly<Record<string, string | readonly string[] | undefined>>;

/** How a word is to be taken: its colour. */
export type Tone = 'good' | 'bad' | 'warn' | 'info' | 'held' | 'plain';

export interface Badge {
  readonly text: string;
  readonly tone: Tone;
  /** The reason, where there is one. */
  readonly reason?: string | undefined;
}

// The event schemas: what event_data must look like (second document, Event, event_schema).

export interface EventSchemas {
  /**
   * Throws `bad_request` naming the member of event_data and what would be right, also for a schema
   * that is not known.
   */
  check(name: string, eventData: Readonly<Record<string, unknown>>): void;
  /** All schemas as JSON Schema, by name. */
  readonly all: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
}

// Reads create requests in the writing thread, from their raw JSON. It only accepts valid ones; the
// main thread reads all others again and reports their problems.

import { events } from '../../contract/events.ts';
import { parseJsonText } from '../../http-server/json-body.ts';
import { isJsonObject, type JsonObject } from '../../json-object.ts';
import { bodyOf, bodyText, type EventInput, imagesOf } from '../store/stored-body.ts';
import type { ReadEvent, ReadRequest } from '../store/writes.ts';
import { checkEvent, type EventRules, eventHead } from './check-event.ts';
import { createEventSchemas } from './event-schemas.ts';
import { normalizeMemberNames } from './member-names.ts';

/** Serializable rules for the thread. */
export interface RequestRules {
  /** All event schemas as JSON Schema, by name. */
  readonly eventSchemas: Readonly<Record<string, JsonObject>>;
  readonly needsSolution: boolean;
}

export function isRequestRules(value: unknown): value is RequestRules {
  if (!isJsonObject(value) || !isJsonObject(value.eventSchemas)) return false;
  return (
    typeof value.needsSolution === 'boolean' &&
    Object.values(value.eventSchemas).every(isJsonObject)
  );
}

/**
 * Reads the body of a create request. Undefined: it is invalid or has images.
 */
export function createRequestReader({ eventSchemas, needsSolution }: RequestRules): ReadRequest {
  const schemas = createEventSchemas(new Map(Object.entries(eventSchemas)));
  const rules = { schemas, needsSolution };
  return (text) => {
    try {
      return readRequest(text, rules);
    } catch {
      return undefined;
    }
  };
}

function readRequest(text: string, rules: EventRules): ReadEvent | undefined {
  const members = parseJsonText(text, events.events_create.bodyLimits);
  const body = normalizeMemberNames(members);
  // A body with stringified JSON fails here; the main thread parses it.
  const { data: input } = events.events_create.body.safeParse(body);
  if (input === undefined || bringsBytes(input)) return undefined;
  checkEvent(input, rules);
  const head = eventHead(input);
  // A body in another spelling is stored in the spelling of the contract.
  return { head, body: body === members ? text : bodyText(bodyOf(input, imagesOf(input))) };
}

function bringsBytes({ images }: EventInput): boolean {
  return (images ?? []).some(
    ({ base64Image, inputBase64Image }) =>
      typeof base64Image === 'string' || typeof inputBase64Image === 'string',
  );
}

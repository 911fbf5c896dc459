// Events from the JSON of their requests: checked by the thread that stores them, which has nobody
// to answer. So it takes only what is right; why a request is wrong is for others to say.

import { events } from '../../contract/events.ts';
import { parseJsonText } from '../../http-server/json-body.ts';
import { isJsonObject, type JsonObject } from '../../json-object.ts';
import { bodyOf, bodyText, type EventInput, imagesOf } from '../store/stored-body.ts';
import type { ReadEvent, ReadRequest } from '../store/writes.ts';
import { checkEvent, type EventRules, eventHead } from './check-event.ts';
import { createEventSchemas } from './event-schemas.ts';
import { normalizeMemberNames } from './member-names.ts';

/** The rules as they go to a thread. */
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
 * Reads the body of a create. Undefined: it is wrong, brings bytes, or says something that is kept
 * in other words than it came.
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
  const members = parseJsonText(text, events.events_create.bodyBounds);
  const body = normalizeMemberNames(members);
  // Not where an object stands in it as JSON text, which others read.
  const { data: input } = events.events_create.body.safeParse(body);
  if (input === undefined || bringsBytes(input)) return undefined;
  checkEvent(input, rules);
  const head = eventHead(input);
  // In another spelling than the contract's it cannot be kept as it came.
  return { head, body: body === members ? text : bodyText(bodyOf(input, imagesOf(input))) };
}

function bringsBytes({ images }: EventInput): boolean {
  return (images ?? []).some(
    ({ base64Image, inputBase64Image }) =>
      typeof base64Image === 'string' || typeof inputBase64Image === 'string',
  );
}

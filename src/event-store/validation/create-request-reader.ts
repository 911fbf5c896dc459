// Reads create requests in the writing thread, from their raw JSON. It only accepts valid ones; the
// main thread reads all others again and reports their problems.

import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { events } from '../../contract/events.ts';
import { parseJsonText } from '../../http-server/json-body.ts';
import { isJsonObject, type JsonObject } from '../../json-object.ts';
import { limits } from '../../limits.ts';
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
  // Says only whether a request is right, in a fifth of the time that the contract itself takes.
  const compiler = new Ajv2020({ strict: false, strictNumbers: true, validateSchema: false });
  const isInput = compiler.compile<EventInput>(events.events_create.body.toJSONSchema());
  return (text) => {
    try {
      return readRequest(text, isInput, rules);
    } catch {
      return undefined;
    }
  };
}

function readRequest(
  text: string,
  isInput: ValidateFunction<EventInput>,
  rules: EventRules,
): ReadEvent | undefined {
  // Its texts together are no longer: as JSON each takes as much or more.
  if (text.length > limits.eventTextCharactersMax) return undefined;
  const members = parseJsonText(text, events.events_create.bodyLimits);
  const input: unknown = normalizeMemberNames(members);
  // A body with stringified JSON fails here; the main thread parses it.
  if (!isInput(input) || bringsBytes(input)) return undefined;
  checkEvent(input, rules);
  const head = eventHead(input);
  // A body in another spelling is stored in the spelling of the contract.
  return { head, body: input === members ? text : bodyText(bodyOf(input, imagesOf(input))) };
}

function bringsBytes({ images }: EventInput): boolean {
  return (images ?? []).some(
    ({ base64Image, inputBase64Image }) =>
      typeof base64Image === 'string' || typeof inputBase64Image === 'string',
  );
}

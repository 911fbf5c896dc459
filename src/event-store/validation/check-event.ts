// Validates what the contract cannot express of an event, and converts it for the store.

import { storableText } from '../../contract/unstorable-text.ts';
import { FoveaError, invalidArgument } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { EventHead, EventImage, NewEvent, NewFile } from '../store/store.ts';
import { bodyOf, type EventInput } from '../store/stored-body.ts';
import type { EventSchemas } from './event-schemas.ts';

export interface EventRules {
  readonly schemas: EventSchemas;
  /** Cloud upload is on, and there is no default solution. */
  readonly needsSolution: boolean;
}

/** Throws `bad_request` or `invalid_input` (Event Store 3.1 to 3.14). */
export function checkEvent(input: EventInput, { schemas, needsSolution }: EventRules): void {
  schemas.check(input.event_schema, input.event_data);
  if (needsSolution && !input.solution) {
    throw new FoveaError('bad_request', 'solution: is missing, and cloud upload needs one.', {
      hint: 'Send it, or set DEFAULT_SOLUTION_ID on the service.',
    });
  }
  checkDisplayPosition(input);
}

/**
 * Limits the texts of an event, which are read with every page; images are stored as files. Throws
 * `too_large`.
 */
export function checkTexts(input: EventInput): void {
  let characters = 0;
  const waiting: object[] = [input];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const [name, member] of Object.entries(next)) {
      if (typeof member === 'object' && member !== null) waiting.push(member);
      else if (typeof member === 'string' && !imageMembers.has(name)) characters += member.length;
    }
  }
  if (characters <= limits.eventTextCharactersMax) return;
  const most = limits.eventTextCharactersMax;
  throw new FoveaError('too_large', `The texts of the event have more than ${most} characters.`, {
    hint: 'Attach long texts as local-only files of a draft.',
  });
}

const imageMembers: ReadonlySet<string> = new Set(['base64Image', 'inputBase64Image']);

/** Position 0 is allowed without images, since some clients always send it. */
function checkDisplayPosition({ displayImagePosition, images }: EventInput): void {
  const last = Math.max(0, (images ?? []).length - 1);
  if ((displayImagePosition ?? 0) <= last) return;
  throw invalidArgument('displayImagePosition', `must be the index of an image, at most ${last}`);
}

/** The queryable members, as texts that SQLite reads whole in every version of Node. */
export function eventHead(input: EventInput): EventHead {
  const { externalId, external_id, relatedEventId, related_event_id } = input.event_data;
  return {
    draft: input.draft === true,
    workflowId: textOf(input.workflow_id),
    deviceId: textOf(input.device_id),
    eventSchema: storableText(input.event_schema),
    externalId: textOf(externalId ?? external_id),
    relatedEventId: textOf(relatedEventId ?? related_event_id),
    customMetadata: input.custom_metadata ?? undefined,
  };
}

/** `images` and `files`: the stored form of its images. */
export function newEvent(
  input: EventInput,
  images: readonly EventImage[],
  files: readonly NewFile[],
): NewEvent {
  return { ...eventHead(input), ...bodyOf(input, images), files };
}

function textOf(value: unknown): string | undefined {
  const isText = typeof value === 'string' || typeof value === 'number';
  return isText ? storableText(String(value)) : undefined;
}

// Normalizes member names of requests (camelCase, snake_case) to the spelling of the contract.

import { events } from '../../contract/events.ts';
import { invalidInput, type Problem } from '../../errors.ts';
import { isJsonObject, type JsonObject } from '../../json-object.ts';
import { isoMicroseconds, parseMicroseconds } from '../timestamps.ts';

/**
 * The body of a create request with each member under its contract name, whether it came in
 * camelCase, snake_case or a mixture; unknown members stay unchanged. Throws `invalid_input` when
 * one member came in both spellings.
 */
export function normalizeMemberNames(body: JsonObject): JsonObject {
  const problems: Problem[] = [];
  const event = respell(body, eventNames, '', problems);
  const images = respellImages(event.images, problems);
  if (problems.length > 0) throw invalidInput(problems);
  const time = inferenceTime(event.inference_timestamp);
  if (images === event.images && time === event.inference_timestamp) return event;
  return {
    ...event,
    ...(images !== undefined && { images }),
    ...(time !== undefined && { inference_timestamp: time }),
  };
}

function respellImages(images: unknown, problems: Problem[]): unknown {
  if (!Array.isArray(images)) return images;
  const respelled = images.map((image: unknown, index) =>
    isJsonObject(image) ? respell(image, imageNames, `images[${index}].`, problems) : image,
  );
  return respelled.some((image, index) => image !== images[index]) ? respelled : images;
}

/** Times stay unchanged, unless the contract requires another format. */
function inferenceTime(given: unknown): unknown {
  if (typeof given !== 'string' || contractTime.test(given)) return given;
  const time = parseMicroseconds(given);
  return time === undefined ? given : isoMicroseconds(time);
}

/** The format only; the contract checks that the day exists. */
const contractTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d[\d:.]*(?:Z|[+-]\d\d:\d\d)?$/;

/** `object_detections` for `objectDetections`; other names as they are. */
function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** `objectDetections` for `object_detections`; other names as they are. */
export function camelCase(name: string): string {
  return name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

const { shape } = events.events_create.body;
const eventNames = spellings(Object.keys(shape));
const imageNames = spellings(Object.keys(shape.images.unwrap().element.shape));

/** Maps both spellings of each name to the name. */
function spellings(names: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    names.flatMap((name): [string, string][] => [
      [camelCase(name), name],
      [snakeCase(name), name],
      [name, name],
    ]),
  );
}

function respell(
  members: JsonObject,
  names: ReadonlyMap<string, string>,
  place: string,
  problems: Problem[],
): JsonObject {
  // Renaming costs a copy, which most producers do not need.
  if (Object.keys(members).every((given) => (names.get(given) ?? given) === given)) return members;
  const respelled = new Map<string, unknown>();
  for (const [given, value] of Object.entries(members)) {
    const name = names.get(given) ?? given;
    if (respelled.has(name)) {
      const message = `is given twice: as ${camelCase(name)} and as ${snakeCase(name)}, send one`;
      problems.push({ path: `${place}${name}`, message });
    }
    respelled.set(name, value);
  }
  return Object.fromEntries(respelled);
}

// Whether a vision event meets conditions, looked at in the event itself.

import { memberOf } from '../../json-object.ts';
import { type Scalar, valueMeets } from '../../value-conditions.ts';
import type { EventCondition } from '../store/vision-events.ts';

/**
 * Whether an event, given as JSON, meets all conditions. Most that do not are known by their text,
 * in half the time that it takes to read them.
 */
export function matcherOf(conditions: readonly EventCondition[]): (content: string) => boolean {
  const needed = conditions.flatMap(neededTexts);
  return (content) => {
    if (conditions.length === 0) return true;
    if (!needed.every((texts) => texts.some((text) => content.includes(text)))) return false;
    const event: unknown = JSON.parse(content);
    return conditions.every((condition) => meets(event, condition));
  };
}

/** One of them stands in every event that meets the condition: events are kept without blanks. */
function neededTexts(condition: EventCondition): readonly (readonly string[])[] {
  const { kind } = condition;
  if (kind === 'detection')
    return condition.wasSeen ? [[memberText('class', condition.class)]] : [];
  if (kind === 'imageCount' || condition.operator !== 'eq') return [];
  const name = condition.path.at(-1) ?? '';
  return [condition.values.map((value) => memberText(name, value))];
}

function memberText(name: string, value: Scalar): string {
  return `${JSON.stringify(name)}:${JSON.stringify(value)}`;
}

function meets(event: unknown, condition: EventCondition): boolean {
  const { kind } = condition;
  if (kind === 'detection') return wasSeen(event, condition) === condition.wasSeen;
  if (kind === 'imageCount') {
    return valueMeets(imagesOf(event).length, condition.operator, [condition.count]);
  }
  const value = condition.path.reduce(memberOf, event);
  const isText = typeof value === 'string';
  if (!isText && typeof value !== 'number' && typeof value !== 'boolean') return false;
  return valueMeets(value, condition.operator, condition.values);
}

const seenLists = [
  'objectDetections',
  'classifications',
  'instanceSegmentations',
  'keypoints',
] as const;

function wasSeen(
  event: unknown,
  { class: wanted, confidence }: Extract<EventCondition, { kind: 'detection' }>,
): boolean {
  const seen = imagesOf(event).flatMap((image) =>
    seenLists.flatMap((name) => listOf(memberOf(image, name))),
  );
  return seen.some(
    (one) => memberOf(one, 'class') === wanted && Number(memberOf(one, 'confidence')) >= confidence,
  );
}

function imagesOf(event: unknown): readonly unknown[] {
  return listOf(memberOf(event, 'images'));
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

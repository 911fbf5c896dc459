// Whether a vision event meets conditions, looked at in the event itself.

import { valueMeets } from '../../comparison.ts';
import { memberOf } from '../../json-object.ts';
import type { EventCondition } from '../store/vision-events.ts';

/** `content`: the event as JSON. */
export function meetsAll(conditions: readonly EventCondition[], content: string): boolean {
  if (conditions.length === 0) return true;
  const event: unknown = JSON.parse(content);
  return conditions.every((condition) => meets(event, condition));
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

// How that which queries look for stands in the table `terms`.

import type { MetadataValue } from './store.ts';

export type TermValue = string | number | Uint8Array;

/** Keys of the table that are no key of custom_metadata. */
export const reservedKeys = {
  externalId: -1,
  relatedEventId: -2,
  device: -3,
  schema: -4,
  workflow: -5,
  /** Device, schema and workflow together: the id of their row in `kinds`. */
  kind: -6,
  /** In windows alone, and of all their events. */
  arrival: -7,
  number: -8,
} as const;

/** All keys of `terms` are from here on. */
export const firstKey = reservedKeys.kind;

/** Whether a key has few values, which many events share: device, schema, workflow and kind. */
export function hasFewValues(key: number): boolean {
  return key <= reservedKeys.device;
}

/**
 * Entries are cut into buckets of events, so that those of new events lie together however many
 * there are; of keys with few values into larger ones, since each run of a value ends with its
 * bucket.
 */
export function bucketOf(key: number, eventNumber: number): number {
  return Math.floor(eventNumber / 2 ** (hasFewValues(key) ? largeBucketBits : bucketBits));
}

/** From the bucket of one event to that of a later one. */
export function bucketsBetween(key: number, firstNumber: number, lastNumber: number): number[] {
  const first = bucketOf(key, firstNumber);
  const count = bucketOf(key, lastNumber) - first + 1;
  return Array.from({ length: Math.max(0, count) }, (_, place) => first + place);
}

/** Events of one bucket: 2 to the power of this. */
const bucketBits = 14;
const largeBucketBits = 18;

/**
 * A value as it is stored. SQLite orders numbers before text before blobs, so the types never meet.
 * Of long text it is the start: the whole is compared in the event.
 */
export function storedValue(value: MetadataValue): TermValue {
  if (typeof value === 'boolean') return value ? storedTrue : storedFalse;
  return typeof value === 'string' ? shortened(value) : value;
}

/** The start of a text that is stored of it. */
export function shortened(text: string): string {
  return startOf(text, charactersMax);
}

/** Whether this is the start of a longer text, or may be. */
export function maybeShortened(stored: string): boolean {
  return stored.length >= charactersMax - 1;
}

/** Whether the stored value is all of it, and no longer text has the same. */
export function isWhole(value: MetadataValue): boolean {
  return typeof value !== 'string' || !maybeShortened(value);
}

/** A start of a text that every text which is stored by its start has at least as much of. */
export function surelyStored(text: string): string {
  return startOf(text, charactersMax - 1);
}

const charactersMax = 200;

/** Not cut between the two halves of a character. */
function startOf(text: string, end: number): string {
  if (text.length < end) return text;
  return text.slice(0, isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end);
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00;
}

const storedFalse = Uint8Array.of(0);
const storedTrue = Uint8Array.of(1);

/** The members of custom_metadata that a filter can find. */
export function scalarsOf(customMetadata: unknown): [key: string, value: MetadataValue][] {
  const scalars: [string, MetadataValue][] = [];
  for (const [key, value] of Object.entries(Object(customMetadata))) {
    if (isFindable(key, value)) scalars.push([key, value]);
  }
  return scalars;
}

/** The findable members of a large object, and of their texts what is stored: nothing else. */
export function findableMembers(customMetadata: unknown): unknown {
  const kept = scalarsOf(customMetadata).map(([key, value]) => [
    key,
    typeof value === 'string' ? shortened(value) : value,
  ]);
  // A piece of a text would keep the whole text.
  return JSON.parse(JSON.stringify(Object.fromEntries(kept)));
}

/**
 * Text, numbers, booleans; but not 1e999, for which JSON has no word, and no half of a character,
 * for which UTF-8 has none: in the database they would be something else.
 */
export function isFindable(key: string, value: unknown): value is MetadataValue {
  if (typeof value === 'string') return value.isWellFormed() && key.isWellFormed();
  const isKept = typeof value === 'number' ? Number.isFinite(value) : typeof value === 'boolean';
  return isKept && key.isWellFormed();
}

export function isScalar(value: unknown): value is MetadataValue {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

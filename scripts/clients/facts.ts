// Answers as facts, and facts as text that is the same for the same facts.

import { asRecord, isJsonObject, type JsonObject } from '../../src/json-object.ts';

/** Members that differ from one day to the next, whatever was done. */
const ofTheDay = new Set([
  ...['id', 'keyId', 'taskId', 'trainingId', 'modelIds', 'hash', 'prefix', 'publishableKey'],
  ...['created', 'created_on', 'updated', 'uploaded', 'start', 'started', 'end', 'ended'],
  ...['eventId', 'sourceId', 'timestamp', 'created_by', 'createdBy', 'urls', 'url', 'endpoint'],
  ...['avg_response_time', 'prev_avg_response_time', 'last_used_on'],
]);

/** A value without such members, at any depth. */
export function lasting(value: JsonObject): JsonObject {
  const entries = Object.entries(value).filter(([name]) => !ofTheDay.has(name));
  return Object.fromEntries(entries.map(([name, member]) => [name, lastingPart(member)]));
}

function lastingPart(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lastingPart);
  return isJsonObject(value) ? lasting(value) : value;
}

/** JSON with the members of objects in the order of their names; a string is itself. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  const sorted = (_name: string, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member;
  return JSON.stringify(value, sorted) ?? 'undefined';
}

/** The objects of a list; none where it is no list. */
export function listOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.map(asRecord) : [];
}

/** Sorted by a member. */
export function inOrder(list: readonly JsonObject[], member: string): readonly JsonObject[] {
  return list.toSorted((a, b) => (textOf(a[member]) < textOf(b[member]) ? -1 : 1));
}

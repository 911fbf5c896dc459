// What filters on event_data and on detections left out, seen in the latest events.

import type { events } from '../../src/contract/events.ts';
import type { Answer, Input } from '../../src/contract/operation.ts';
import { isJsonObject, memberOf, membersOf } from '../../src/json-object.ts';
import { asGiven, nameList, quoted } from '../format.ts';
import { classIn } from './meaning-notes.ts';

type Filters = Input<typeof events.events_count>;
type StoredEvent = Answer<typeof events.events_list>['events'][number];

/** For each key, the values that there are; else the keys that there are. */
export function eventDataNotes(
  { event_data_filter: conditions = [] }: Filters,
  seen: readonly StoredEvent[],
): readonly string[] {
  return keysOf(conditions).map((key) => {
    const latest = `the latest ${seen.length} events`;
    const values = distinct(seen.map(({ event_data }) => valueAt(event_data, key)));
    if (values.length > 0) return `event_data has ${asGiven(key)} in ${latest}${others(values)}`;
    if (seen.some(({ custom_metadata }) => memberOf(custom_metadata, key) !== undefined)) {
      return `${asGiven(key)} stands in custom_metadata: ask for it in metadata_filter.`;
    }
    const keys = distinct(seen.flatMap(({ event_data }) => pathsIn(event_data)));
    return `None of ${latest} has ${asGiven(key)} in event_data${others(keys)}`;
  });
}

/** The classes that there are, how many of each in one event, and how sure. */
export function detectionNotes(
  { detection_filter: conditions = [] }: Filters,
  seen: readonly StoredEvent[],
): readonly string[] {
  if (conditions.length === 0) return [];
  const classes = classesIn(seen);
  const latest = `The latest ${seen.length} events have`;
  if (classes.size === 0) return [`${latest} no detections.`];
  const told = [...classes].slice(0, valuesToldMax).map(([name, { most, surest }]) => {
    return `${quoted(name)} (at most ${most} in an event, confidence up to ${surest})`;
  });
  const more = classes.size > told.length ? ' and others' : '';
  return [`${latest} detections of ${told.join(', ')}${more}.`];
}

/** Classes that are counted and not there: events without them are found, whatever was meant. */
export function absentClassNotes(
  { detection_filter: conditions = [] }: Filters,
  seen: readonly StoredEvent[],
): readonly string[] {
  const classes = classesIn(seen);
  return conditions.flatMap((condition) => {
    const name = classIn(condition);
    if (name === undefined || classes.has(name) || !condition.includes('count')) return [];
    const none = `None of the latest ${seen.length} events has a detection of ${asGiven(name)}`;
    return [`${none}${others([...classes.keys()])}`];
  });
}

/** More values would hide what matters. */
const valuesToldMax = 5;

/** The keys of conditions `key:value`, each once. */
export function keysOf(conditions: readonly string[]): readonly string[] {
  return [...new Set(conditions.map((condition) => condition.split(':')[0] ?? ''))];
}

export function distinct(values: readonly unknown[]): readonly string[] {
  return [...new Set(values.filter((value) => value !== undefined && value !== null).map(String))];
}

/** `: "a", "b" and others.` */
export function others(values: readonly string[]): string {
  if (values.length === 0) return '; they have none.';
  const more = values.length > valuesToldMax ? ' and others' : '';
  return `: ${nameList(values.slice(0, valuesToldMax))}${more}.`;
}

/** The single value that a filter finds under a key, as the store looks for it. */
function valueAt(data: object, key: string): unknown {
  const within = (holder: unknown, name: string) => memberOf(membersOf(holder), name);
  const found = memberOf(data, key) ?? key.split('.').reduce<unknown>(within, data);
  return typeof found === 'object' ? undefined : found;
}

/** Keys of single values; of those in objects, the path. */
function pathsIn(data: object): readonly string[] {
  return Object.entries(data).flatMap(([name, value]) =>
    isJsonObject(value) ? Object.keys(value).map((inner) => `${name}.${inner}`) : [name],
  );
}

interface Seen {
  /** In one event. */
  most: number;
  surest: number;
}

function classesIn(seen: readonly StoredEvent[]): ReadonlyMap<string, Seen> {
  const classes = new Map<string, Seen>();
  for (const event of seen) {
    const counts = new Map<string, number>();
    for (const { class: name, confidence } of detectionsOf(event)) {
      if (typeof name !== 'string') continue;
      const known = classes.get(name) ?? { most: 0, surest: 0 };
      const figure = (counts.get(name) ?? 0) + 1;
      counts.set(name, figure);
      const surest = typeof confidence === 'number' ? confidence : 0;
      classes.set(name, {
        most: Math.max(known.most, figure),
        surest: Math.max(known.surest, surest),
      });
    }
  }
  return classes;
}

function detectionsOf({ images = [] }: StoredEvent) {
  return images.flatMap((image) => [
    ...(image.object_detections ?? []),
    ...(image.classifications ?? []),
    ...(image.instance_segmentations ?? []),
    ...(image.keypoints ?? []),
  ]);
}

// Rules of Active Learning: which inferences are collected, and how settings change.

import { createHash } from 'node:crypto';
import { dayMs, isoTime } from '../../clock.ts';
import type { LearningConfiguration } from '../../contract/deployment.ts';
import type { Problem } from '../../errors.ts';

/** Null: no such bound. */
export interface CollectionLimits {
  /** 0 to 1. */
  readonly samplingRate: number;
  readonly perMinute: number | null;
  readonly perHour: number | null;
  readonly perDay: number | null;
  /** Pixels of the longer side. */
  readonly maxImageSize: number | null;
  /** JPEG quality; null: the bytes as they came. */
  readonly jpegCompression: number | null;
  readonly batchRecreation: 'never' | 'daily' | 'weekly' | 'monthly';
  readonly persistPredictions: boolean;
}

export type Filter = NonNullable<LearningConfiguration['filters']>[number];

export interface LearningSettings {
  readonly collectionLimits: CollectionLimits;
  readonly filters: readonly Filter[];
}

export const defaultLimits: CollectionLimits = {
  samplingRate: 1,
  perMinute: null,
  perHour: null,
  perDay: null,
  maxImageSize: null,
  jpegCompression: null,
  batchRecreation: 'daily',
  persistPredictions: true,
};

/** Settings after a change: what is left out stays, null is the default. */
export function changedSettings(
  known: LearningSettings,
  change: LearningConfiguration,
): LearningSettings {
  const given = Object.entries(change.collectionLimits ?? {});
  const set = Object.fromEntries(given.filter(([, value]) => value !== null));
  const cleared = given.filter(([, value]) => value === null).map(([name]) => name);
  const defaults = Object.entries(defaultLimits).filter(([name]) => cleared.includes(name));
  return {
    collectionLimits: { ...known.collectionLimits, ...Object.fromEntries(defaults), ...set },
    filters: change.filters ?? known.filters,
  };
}

/** What is wrong with filters beyond their form. */
export function filterProblems(filters: readonly Filter[]): readonly Problem[] {
  return filters.flatMap(({ min, max }, index) => {
    const path = `filters[${index}]`;
    if (min === undefined && max === undefined) return [{ path, message: 'needs min or max' }];
    const isEmpty = min !== undefined && max !== undefined && min > max;
    return isEmpty ? [{ path: `${path}.min`, message: `must not be above max, ${max}` }] : [];
  });
}

/** What batches are called, before their day, week or month. */
export const batchesNamePrefix = 'Active Learning';

/** What a model saw in an image, as far as filters look at it. */
export interface SeenObjects {
  /** Of the image, in pixels. */
  readonly width: number;
  readonly height: number;
  readonly detections: readonly {
    readonly label: string;
    readonly confidence: number;
    readonly width: number;
    readonly height: number;
  }[];
}

/**
 * Whether all filters hold. A filter of objects holds where one of them lies within its bounds:
 * its confidence (of those classes), or its share of the area of the image.
 */
export function passes(filters: readonly Filter[], seen: SeenObjects): boolean {
  return filters.every((filter) => holds(filter, seen));
}

function holds(filter: Filter, { width, height, detections }: SeenObjects): boolean {
  if (filter.type === 'detectionCount') return isWithin(detections.length, filter);
  if (filter.type === 'detectionSize') {
    return detections.some((one) => isWithin((one.width * one.height) / (width * height), filter));
  }
  const { classes } = filter;
  return detections.some(
    ({ label, confidence }) =>
      (classes === undefined || classes.includes(label)) && isWithin(confidence, filter),
  );
}

interface Bounds {
  readonly min?: number | undefined;
  readonly max?: number | undefined;
}

function isWithin(figure: number, { min, max }: Bounds): boolean {
  return figure >= (min ?? Number.NEGATIVE_INFINITY) && figure <= (max ?? Number.POSITIVE_INFINITY);
}

/** A share of the inferences, always the same ones: by the hash of their ids. */
export function isSampled(inferenceId: string, rate: number): boolean {
  const hash = createHash('sha256').update(inferenceId).digest();
  return hash.readUInt32BE(0) / 2 ** 32 < rate;
}

/** Names a new batch as often as the settings say; days, weeks and months are those of UTC. */
export function batchNameAt(recreation: CollectionLimits['batchRecreation'], now: number): string {
  const day = isoTime(now).slice(0, 10);
  if (recreation === 'never') return batchesNamePrefix;
  if (recreation === 'daily') return `${batchesNamePrefix} ${day}`;
  if (recreation === 'monthly') return `${batchesNamePrefix} ${day.slice(0, 7)}`;
  return `${batchesNamePrefix} ${isoWeek(now)}`;
}

/** ISO 8601: the week belongs to the year that has its Thursday. */
function isoWeek(now: number): string {
  const weekday = (new Date(now).getUTCDay() + 6) % 7;
  const thursday = new Date(now + (3 - weekday) * dayMs);
  const year = thursday.getUTCFullYear();
  const days = Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / dayMs);
  return `${year}-W${String(Math.floor(days / 7) + 1).padStart(2, '0')}`;
}

/** At most so many within so long, for each bound that is set. */
export function boundsOf({ perMinute, perHour, perDay }: CollectionLimits) {
  const minuteMs = 60_000;
  const all = [
    { count: perMinute, withinMs: minuteMs },
    { count: perHour, withinMs: 60 * minuteMs },
    { count: perDay, withinMs: 24 * 60 * minuteMs },
  ];
  return all.flatMap(({ count, withinMs }) => (count === null ? [] : [{ count, withinMs }]));
}

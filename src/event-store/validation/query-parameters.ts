// Normalizes query parameters: times, booleans, filters.

import type { UncheckedRequest } from '../../contract/check.ts';
import { isJsonObject, type JsonObject } from '../../json-object.ts';
import { limits } from '../../limits.ts';
import { isoMicroseconds, parseMicroseconds } from '../timestamps.ts';
import { badQuery } from './bad-query.ts';
import { parseDetectionFilters } from './detection-filters.ts';
import { parseMemberFilters } from './member-filters.ts';

/**
 * The query of a list with normalized times and booleans. Throws `bad_request` for a malformed
 * time, sort direction or filter (Event Store 15.6 to 15.8, 18.14).
 */
export function prepareQuery(query: JsonObject): JsonObject {
  const given = Object.entries(query).filter(([, value]) => value !== '');
  return Object.fromEntries(given.map(([name, value]) => [name, prepared(name, value)]));
}

function prepared(name: string, value: unknown): unknown {
  switch (name) {
    case 'start_time':
    case 'end_time':
      return preparedTime(name, value);
    case 'sort_direction':
      if (value === 'asc' || value === 'desc') return value;
      throw badQuery(name, 'must be "asc" or "desc"');
    case 'metadata_filter':
    case 'event_data_filter':
      if (!Array.isArray(value)) return value;
      refuseMany(name, value.length, limits.eventMetadataFiltersMax, 'filters');
      parseMemberFilters(name, value.map(String));
      return value;
    case 'detection_filter':
      if (!Array.isArray(value)) return value;
      refuseMany(name, value.length, limits.eventDetectionFiltersMax, 'filters');
      parseDetectionFilters(value.map(String));
      return value;
    case 'device_id__in':
    case 'event_schema__in':
    case 'workflow_id__in':
    case 'external_id__in':
      refuseMany(name, String(value).split(',').length, limits.eventFilterValuesMax, 'values');
      return value;
    case 'include_drafts':
      return truth(value) ?? value;
    default:
      return value;
  }
}

/** Each value is searched for in the whole store. */
function refuseMany(name: string, count: number, most: number, what: string): void {
  if (count > most) throw badQuery(name, `has ${count} ${what}; at most ${most} are taken`);
}

function preparedTime(name: string, value: unknown): string {
  const time = typeof value === 'string' ? parseMicroseconds(value) : undefined;
  if (time !== undefined) return isoMicroseconds(Math.min(time, lastMicrosecond));
  throw badQuery(name, 'must be an ISO 8601 time, for example 2026-11-21T08:30:00Z');
}

/** The last second before the year 10000; later microseconds are no safe integers. */
const lastMicrosecond = Date.UTC(9999, 11, 31, 23, 59, 59) * 1000;

function truth(value: unknown): boolean | undefined {
  if (typeof value !== 'string') return undefined;
  if (/^(1|true|yes|on)$/i.test(value)) return true;
  return /^(0|false|no|off)$/i.test(value) ? false : undefined;
}

/** The request with a normalized query. */
export function withPreparedQuery(request: UncheckedRequest): UncheckedRequest {
  const { query } = request;
  return isJsonObject(query) ? { ...request, query: prepareQuery(query) } : request;
}

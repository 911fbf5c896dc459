// The queries of the bench: common queries, and those that are hard for a store.

import { deviceId, metadata } from './events.ts';
import { externalId, relatedId } from './fill-store.ts';

export interface Query {
  readonly name: string;
  /** The goal is set for pages with one predicate at most. */
  readonly predicates: number;
  /** The path of the nth measured request, in a store with that number of events. */
  path(nth: number, size: number, middle: string): string;
}

/** An ordinal somewhere in the store, another one each time. */
const somewhere = (nth: number, size: number) => Math.floor((size * (nth + 0.5)) / 50);

const page = (parameters: Readonly<Record<string, string>>, ...metadataFilters: string[]) => {
  const query = new URLSearchParams(parameters);
  for (const filter of metadataFilters) query.append('metadata_filter', filter);
  return `/v2/events?${query}`;
};

export const queries: readonly Query[] = [
  { name: 'latest 100', predicates: 0, path: () => '/v2/events/latest/query?limit=100' },
  { name: 'oldest 100', predicates: 0, path: () => page({ sort_direction: 'asc' }) },
  {
    name: 'deep page: before the middle',
    predicates: 1,
    path: (_nth, _size, middle) => page({ end_time: middle }),
  },
  {
    name: 'one device (2 %)',
    predicates: 1,
    path: (nth) => page({ device_id: deviceId(nth) }),
  },
  {
    name: 'one device, oldest first',
    predicates: 1,
    path: (nth) => page({ device_id: deviceId(nth), sort_direction: 'asc' }),
  },
  {
    name: 'one schema (1 %)',
    predicates: 1,
    path: () => page({ event_schema: 'operator_feedback' }),
  },
  {
    name: 'a device that there is not',
    predicates: 1,
    path: () => page({ device_id: 'camera-99' }),
  },
  {
    name: 'external_id (1 event)',
    predicates: 1,
    path: (nth, size) => page({ external_id: externalId(somewhere(nth, size)) }),
  },
  {
    name: 'related_event_id (1 event)',
    predicates: 1,
    path: (nth, size) =>
      page({ related_event_id: relatedId(Math.floor(somewhere(nth, size) / 100) * 100 + 99) }),
  },
  {
    name: 'device_id__in, 3 of 50',
    predicates: 1,
    path: (nth) => page({ device_id__in: [1, 2, 3].map((more) => deviceId(nth + more)).join() }),
  },
  {
    name: 'metadata eq, common (10 %)',
    predicates: 1,
    path: (nth) => page({}, `line:line-${nth % 10}`),
  },
  {
    name: 'metadata eq, rare (1 event)',
    predicates: 1,
    path: (nth, size) => page({}, `serial:${metadata(somewhere(nth, size)).serial}`),
  },
  {
    name: 'metadata eq, none',
    predicates: 1,
    path: (nth) => page({}, `serial:SN-none-${nth}`),
  },
  {
    name: 'metadata eq, only the oldest',
    predicates: 1,
    path: () => page({}, 'pilot:yes'),
  },
  {
    name: 'metadata ne (97 %)',
    predicates: 1,
    path: (nth) => page({}, `operator:ne:operator-${nth % 40}`),
  },
  {
    name: 'metadata range, rare (0.2 %)',
    predicates: 1,
    path: () => page({}, 'temperature:gt:59.89'),
  },
  {
    name: 'metadata range, wide (50 %)',
    predicates: 1,
    path: (nth) => page({}, `temperature:gt:${25 + (nth % 10)}`),
  },
  {
    name: 'device AND schema',
    predicates: 2,
    path: (nth) => page({ device_id: deviceId(nth), event_schema: 'operator_feedback' }),
  },
  {
    name: 'device AND metadata eq',
    predicates: 2,
    path: (nth) => page({ device_id: deviceId(nth) }, `line:line-${nth % 10}`),
  },
  {
    name: 'three metadata AND (0.02 %)',
    predicates: 3,
    path: (nth) =>
      page({}, `line:line-${nth % 10}`, `shift:shift-${nth % 3}`, 'temperature:gt:59.6'),
  },
  { name: 'count of all', predicates: 0, path: () => '/events/count/stats' },
  {
    name: 'count of one device',
    predicates: 1,
    path: (nth) => `/events/count/stats?device_id=${deviceId(nth)}`,
  },
];

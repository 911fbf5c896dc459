// GET /metrics of the Event Store.

import { removalReasons } from '../contract/event-store.ts';
import type { Route } from '../http-server/handlers.ts';
import {
  type Metric,
  type RequestCounts,
  requestMetrics,
  sendMetrics,
} from '../http-server/prometheus-text.ts';
import type { Caller } from './api-key.ts';
import type { EventStoreDependencies } from './dependencies.ts';

/** What a scrape reads. */
export type MetricsDependencies = Pick<
  EventStoreDependencies,
  'store' | 'admission' | 'uploader' | 'settings' | 'clock'
>;

export function metricsRoute(
  dependencies: MetricsDependencies,
  requests?: RequestCounts,
): Route<Caller> {
  return {
    method: 'GET',
    path: '/metrics',
    handle: async (request, response) => {
      const metrics = await storeMetrics(dependencies);
      sendMetrics(request, response, [
        ...metrics,
        ...(requests === undefined ? [] : requestMetrics('event_store', requests)),
      ]);
    },
  };
}

async function storeMetrics({
  store,
  ...dependencies
}: MetricsDependencies): Promise<readonly Metric[]> {
  const { admission, uploader, settings, clock } = dependencies;
  const [usage, room, lag] = await Promise.all([
    store.usage(),
    admission.state(),
    store.indexLag(),
  ]);
  const upload = uploader.state();
  const age = (arrival: number | undefined) =>
    arrival === undefined ? 0 : Math.max(0, clock.now() - arrival / 1_000) / 1_000;
  const { removed } = usage;
  return [
    gauge('records', 'Events in the store.', usage.records),
    gauge('records_limit', 'Events that the store may hold.', settings.recordsMax),
    gauge('drafts', 'Events that are drafts.', usage.drafts),
    gauge('oldest_draft_age_seconds', 'Age of the oldest draft.', age(usage.oldestDraft)),
    gauge('waiting', 'Finalized events that wait for upload.', usage.waiting),
    gauge('waiting_bytes', 'Bytes of events that wait for upload.', usage.waitingDiskBytes),
    gauge(
      'oldest_waiting_age_seconds',
      'Age of the oldest event that waits for upload.',
      age(usage.oldestWaiting),
    ),
    gauge('uploaded', 'Events in the store that the cloud has.', usage.uploaded),
    gauge('refused', 'Events in the store that the cloud refused.', usage.refused),
    gauge('held', 'Events under a legal hold.', usage.held),
    filesMetric(usage),
    gauge('bytes', 'Bytes on the disk that count against the limit.', room.bytesCounted),
    gauge('bytes_limit', 'Bytes that the store may take.', settings.bytesMax),
    gauge('file_bytes', 'Bytes on the disk of all files.', usage.fileDiskBytes),
    gauge('database_bytes', 'Bytes of the database in use.', usage.databaseBytes),
    gauge('database_log_bytes', 'Bytes of the log of the database.', usage.logBytes),
    gauge('index_lag', 'Newest events that are not in the index.', lag.behind),
    gauge('disk_free_bytes', 'Bytes that are free on the disk.', room.freeBytes),
    gauge('reserve_bytes', 'Bytes in reserve for a full disk.', room.ballastBytes),
    gauge('blocked', '1 while nothing is taken in (529).', room.blocked === undefined ? 0 : 1),
    gauge('retention_seconds', 'How long events are kept.', settings.retentionDays * 86_400),
    {
      ...counter('removed_total', 'Events removed by cleanups since the store was made.'),
      samples: removalReasons.map((reason) => ({
        labels: { reason },
        value: removed[reason] ?? 0,
      })),
    },
    ...timeGauge(
      'last_removal_timestamp_seconds',
      'When a cleanup last removed an event.',
      usage.lastRemovedAt === undefined ? undefined : usage.lastRemovedAt / 1_000,
    ),
    gauge('upload_enabled', '1 while cloud upload is on.', settings.cloud === undefined ? 0 : 1),
    gauge(
      'upload_failing',
      '1 while the last attempt to upload failed.',
      upload.lastError === undefined ? 0 : 1,
    ),
    ...timeGauge(
      'upload_last_success_timestamp_seconds',
      'When the last upload succeeded.',
      upload.lastSuccessAt,
    ),
    ...timeGauge(
      'upload_next_attempt_timestamp_seconds',
      'When the next attempt to upload is due.',
      upload.nextAttemptAt,
    ),
  ];
}

function filesMetric(usage: { images: number; videos: number; localOnlyFiles: number }): Metric {
  const kinds = { image: usage.images, video: usage.videos, local_only: usage.localOnlyFiles };
  const samples = Object.entries(kinds).map(([kind, value]) => ({ labels: { kind }, value }));
  return { name: 'event_store_files', type: 'gauge', help: 'Files of events.', samples };
}

function gauge(name: string, help: string, value: number): Metric {
  return { name: `event_store_${name}`, type: 'gauge', help, samples: [{ value }] };
}

/** Left out while the time is undefined. */
function timeGauge(name: string, help: string, atMs: number | undefined): readonly Metric[] {
  return atMs === undefined ? [] : [gauge(name, help, atMs / 1_000)];
}

function counter(name: string, help: string): Omit<Metric, 'samples'> {
  return { name: `event_store_${name}`, type: 'counter', help };
}

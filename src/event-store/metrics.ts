// GET /metrics: metrics in the text format of Prometheus, version 0.0.4.

import { removalReasons } from '../contract/event-store.ts';
import type { Route } from '../http-server/handlers.ts';
import { safeHeaders } from '../http-server/responses.ts';
import type { Caller } from './api-key.ts';
import type { EventStoreDependencies } from './dependencies.ts';

/** What a scrape reads. */
export type MetricsDependencies = Pick<
  EventStoreDependencies,
  'store' | 'admission' | 'uploader' | 'settings' | 'clock'
>;

/** Request counts since the start, by operation and status. */
export interface RequestCounts {
  /** `operation`: the id of the endpoint; undefined where no route matched. */
  add(operation: string | undefined, status: number, seconds: number): void;
  /** One entry for each operation and status. */
  readonly all: readonly RequestCount[];
}

export interface RequestCount {
  readonly operation: string;
  readonly status: number;
  readonly count: number;
  readonly seconds: number;
}

export function createRequestCounts(): RequestCounts {
  const counts = new Map<string, RequestCount & { count: number; seconds: number }>();
  return {
    add: (operation = 'none', status, seconds) => {
      const key = `${operation} ${status}`;
      const known = counts.get(key);
      const one = known ?? { operation, status, count: 0, seconds: 0 };
      one.count += 1;
      one.seconds += seconds;
      if (known === undefined) counts.set(key, one);
    },
    get all() {
      return [...counts.values()];
    },
  };
}

export function metricsRoute(
  dependencies: MetricsDependencies,
  requests?: RequestCounts,
): Route<Caller> {
  return {
    method: 'GET',
    path: '/metrics',
    handle: async (request, response) => {
      const metrics = [
        ...(await storeMetrics(dependencies)),
        ...requestMetrics(requests?.all ?? []),
      ];
      const body = Buffer.from([...metrics, ...processMetrics()].map(textOf).join(''));
      response.writeHead(200, {
        ...safeHeaders,
        'content-type': 'text/plain; version=0.0.4; charset=utf-8',
        'content-length': body.length,
      });
      response.end(request.method === 'HEAD' ? undefined : body);
    },
  };
}

interface Sample {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

interface Metric {
  readonly name: string;
  readonly type: 'gauge' | 'counter';
  readonly help: string;
  readonly samples: readonly Sample[];
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

function requestMetrics(counts: readonly RequestCount[]): readonly Metric[] {
  const samples = (of: (count: RequestCount) => number) =>
    counts.map((entry) => {
      const { operation, status } = entry;
      return { labels: { operation, status: String(status) }, value: of(entry) };
    });
  return [
    {
      ...counter('http_requests_total', 'Requests that were answered.'),
      samples: samples(({ count }) => count),
    },
    {
      ...counter('http_request_seconds_total', 'Time that these took together.'),
      samples: samples(({ seconds }) => seconds),
    },
  ].filter(({ samples }) => samples.length > 0);
}

/** Under the names that Prometheus client libraries use. */
function processMetrics(): readonly Metric[] {
  const { rss, heapUsed } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  const one = (name: string, help: string, value: number): Metric => ({
    name,
    help,
    type: name.endsWith('_total') ? 'counter' : 'gauge',
    samples: [{ value }],
  });
  return [
    one('process_resident_memory_bytes', 'Memory of the process.', rss),
    one('process_cpu_seconds_total', 'Processor time of the process.', (user + system) / 1e6),
    one('nodejs_heap_size_used_bytes', 'Memory of its JavaScript objects.', heapUsed),
  ];
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

function textOf({ name, type, help, samples }: Metric): string {
  const lines = samples.map(({ labels = {}, value }) => {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
    return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}\n`;
  });
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

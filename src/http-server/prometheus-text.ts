// Metrics in the text format of Prometheus, version 0.0.4.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { safeHeaders } from './responses.ts';

interface Sample {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Metric {
  readonly name: string;
  readonly type: 'gauge' | 'counter';
  readonly help: string;
  readonly samples: readonly Sample[];
}

/** Request counts since the start, by operation and status. */
export interface RequestCounts {
  /** `operation`: the id of the endpoint; undefined where no route matched. */
  add(operation: string | undefined, status: number, seconds: number): void;
  /** One entry for each operation and status. */
  readonly all: readonly RequestCount[];
}

interface RequestCount {
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

/** Answers with these, and with those of the process. */
export function sendMetrics(
  request: IncomingMessage,
  response: ServerResponse,
  metrics: readonly Metric[],
): void {
  const body = Buffer.from([...metrics, ...processMetrics()].map(textOf).join(''));
  response.writeHead(200, {
    ...safeHeaders,
    'content-type': 'text/plain; version=0.0.4; charset=utf-8',
    'content-length': body.length,
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

/** `prefix`: of their names. */
export function requestMetrics(
  prefix: string,
  { all: counts }: Pick<RequestCounts, 'all'>,
): readonly Metric[] {
  const samples = (of: (count: RequestCount) => number) =>
    counts.map((entry) => {
      const { operation, status } = entry;
      return { labels: { operation, status: String(status) }, value: of(entry) };
    });
  return [
    {
      name: `${prefix}_http_requests_total`,
      type: 'counter' as const,
      help: 'Requests that were answered.',
      samples: samples(({ count }) => count),
    },
    {
      name: `${prefix}_http_request_seconds_total`,
      type: 'counter' as const,
      help: 'Time that these took together.',
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

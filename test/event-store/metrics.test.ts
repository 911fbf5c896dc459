// GET /metrics by a strict reader of the text format 0.0.4 of Prometheus.

import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  openTestEventStore,
  plainEvent,
  type TestEventStore,
  tinyPng,
} from '../fixtures/event-store.ts';

let store: TestEventStore;

beforeAll(async () => {
  store = await openTestEventStore({
    settings: { MAX_RECORDS: '500', MAX_BYTES: '1000000', RETENTION_DAYS: '0.5' },
  });
  const images = [{ base64Image: tinyPng.toString('base64') }];
  await store.post('/v2/events', { ...plainEvent, images });
  await store.post('/v2/events', plainEvent);
  await store.post('/v2/events', { ...plainEvent, draft: true });
  await store.post('/v2/events', { event_schema: 'custom' });
});

afterAll(() => store.close());

test('is in the text format, with help and type before each metric', async () => {
  const answer = await store.get('/metrics');
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const metrics = parse(String(answer.body));
  for (const { name, type, samples } of metrics.values()) {
    expect(name).toMatch(/^(event_store|process|nodejs)_[a-z_]+$/);
    expect(name.endsWith('_total')).toBe(type === 'counter');
    expect(samples.size).toBeGreaterThan(0);
  }
});

test('has the figures of the store, in base units', async () => {
  const value = await read();
  expect(value('event_store_records')).toBe(3);
  expect(value('event_store_drafts')).toBe(1);
  expect(value('event_store_index_lag')).toBe(3);
  expect(value('event_store_waiting')).toBe(2);
  expect(value('event_store_refused')).toBe(0);
  expect(value('event_store_records_limit')).toBe(500);
  expect(value('event_store_bytes_limit')).toBe(1_000_000);
  expect(value('event_store_retention_seconds')).toBe(43_200);
  expect(value('event_store_files', 'kind="image"')).toBe(1);
  expect(value('event_store_files', 'kind="video"')).toBe(0);
  expect(value('event_store_blocked')).toBe(0);
  expect(value('event_store_upload_enabled')).toBe(0);
  expect(value('event_store_bytes')).toBeGreaterThan(tinyPng.length);
  expect(value('process_resident_memory_bytes')).toBeGreaterThan(10_000_000);
});

test('counts removals by reason, also those that never came to pass', async () => {
  const value = await read();
  for (const reason of ['age', 'record_limit', 'byte_limit', 'disk_full']) {
    expect(value('event_store_removed_total', `reason="${reason}"`)).toBe(0);
  }
});

test('counts the requests of each operation by status', async () => {
  const value = await read();
  const requests = 'event_store_http_requests_total';
  expect(value(requests, 'operation="events_create",status="201"')).toBe(3);
  expect(value(requests, 'operation="events_create",status="422"')).toBe(1);
  await store.get('/v2/events');
  await store.get('/nothing');
  const later = await read();
  expect(later(requests, 'operation="events_list",status="200"')).toBe(1);
  expect(later(requests, 'operation="none",status="404"')).toBe(1);
  expect(
    later('event_store_http_request_seconds_total', 'operation="events_list",status="200"'),
  ).toBeGreaterThan(0);
});

test('an upload that was cut off was answered with nothing', async () => {
  const draft = await store.post('/v2/events', { ...plainEvent, draft: true });
  const address = new URL(`${store.url}/v2/events/${draft.text('id')}/videos`);
  const headers = { 'content-type': 'multipart/form-data; boundary=x', 'content-length': 1_000 };
  const upload = request(address, { method: 'POST', headers });
  upload.on('error', () => {});
  const { promise: isWritten, resolve } = Promise.withResolvers<void>();
  upload.write(
    '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nthe start',
    () => resolve(),
  );
  await isWritten;
  await store.get('/health');
  upload.destroy();
  const labels = 'operation="events_attach_video",status="499"';
  await expect.poll(async () => (await read())('event_store_http_requests_total', labels)).toBe(1);
});

interface Metric {
  readonly name: string;
  readonly type: string;
  /** By their labels as written. */
  readonly samples: Map<string, number>;
}

/** What a metric says; throws where there is no such sample. */
async function read(): Promise<(name: string, labels?: string) => number> {
  const metrics = parse(String((await store.get('/metrics')).body));
  return (name, labels = '') => {
    const value = metrics.get(name)?.samples.get(labels);
    if (value === undefined) throw new Error(`no ${name}{${labels}}`);
    return value;
  };
}

/** Throws for anything that the format does not allow, or allows only with a shrug. */
function parse(text: string): Map<string, Metric> {
  if (!text.endsWith('\n')) throw new Error('The last line has no end.');
  const metrics = new Map<string, Metric>();
  const lines = text.slice(0, -1).split('\n');
  while (lines.length > 0) {
    const [, name = ''] = lineOf(lines, /^# HELP ([a-zA-Z_:][\w:]*) [^\\]+$/);
    const [, typed, type = ''] = lineOf(lines, /^# TYPE (\S+) (gauge|counter)$/);
    if (typed !== name || metrics.has(name)) throw new Error(`${name} is not declared once.`);
    const samples = new Map<string, number>();
    while (lines[0] !== undefined && !lines[0].startsWith('#')) {
      const [, sampled, labels = '', value] = lineOf(lines, samplePattern);
      if (sampled !== name || samples.has(labels)) throw new Error(`${name}{${labels}} is twice.`);
      samples.set(labels, Number(value));
    }
    metrics.set(name, { name, type, samples });
  }
  return metrics;
}

const label = '[a-zA-Z_]\\w*="(?:[^"\\\\\\n]|\\\\[\\\\"n])*"';
const samplePattern = new RegExp(
  `^([a-zA-Z_:][\\w:]*)(?:\\{(${label}(?:,${label})*)\\})? (-?\\d+(?:\\.\\d+)?(?:e[+-]?\\d+)?)$`,
);

function lineOf(lines: string[], pattern: RegExp): RegExpExecArray {
  const line = lines.shift() ?? '';
  const found = pattern.exec(line);
  if (found) return found;
  throw new Error(`not the text format: ${line}`);
}

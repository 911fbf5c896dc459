// What was measured as tables, and where the Event Store falls short of its goals.

import { formatRange, formatTable, median } from '../measure/text-table.ts';
import type { Contender } from './contenders.ts';
import type { DurableResult, DurableRun } from './durable-writes.ts';
import type { MemoryRun } from './memory.ts';
import type { PagesMeasured, PagesResult, QueryTime } from './pages.ts';
import { type UploadResult, uploadBytes } from './upload.ts';

export interface Verdict {
  readonly said: readonly string[];
  readonly short: readonly string[];
}

const goals = {
  /** Durable events of 1.5 KB, against each peer. */
  overFastApi: 9,
  overPostgres: 2.3,
  /** Throughput of an upload against a raw body into a file. */
  ofRawPipe: 1,
  /** Peak memory of the large upload against that of the small one. */
  uploadPeak: 1.25,
  /** Megabytes with 64 producers, and once they are gone. */
  peakMegabytes: 220,
  idleMegabytes: 120,
  /** Any page with one predicate, and with more, in the largest store. */
  pageMs: 3,
  narrowPageMs: 20,
  /** Inserts into the largest store against those into the one before. */
  insertRate: 0.95,
} as const;

export function formatDurable({ kind, bytes, runs, syncsPerSecond }: DurableResult): string {
  const title =
    kind === 'small'
      ? `Durable events of ${bytes} bytes`
      : `Durable events with a JPEG of 200 KB in base64 (${bytes} bytes)`;
  const header = ['', 'events/s', 'CPU us/event', 'p50 ms', 'p99 ms', 'peak RSS MB', 'files'];
  const rows = runs.map(({ contender, runs: measured }) => [
    contender.name,
    formatRange(measured.map(({ perSecond }) => perSecond)),
    formatRange(measured.map(({ cpuMicroseconds }) => cpuMicroseconds)),
    formatRange(
      measured.map(({ p50Ms }) => p50Ms),
      1,
    ),
    formatRange(
      measured.map(({ p99Ms }) => p99Ms),
      1,
    ),
    formatRange(measured.map(({ peakBytes }) => peakBytes / 1e6)),
    formatRange(measured.map(({ openFiles }) => openFiles)),
  ]);
  const limit = ['write + fdatasync, one writer', formatRange(syncsPerSecond)];
  return `${title}, 64 producers\n${formatTable([header, ...rows, limit])}`;
}

/** Ratios are of the same round, so that what the machine did meanwhile falls out of them. */
export function judgeDurable({ kind, runs }: DurableResult): Verdict {
  const [ours, beside, fastApi, postgres] = (
    ['ours', 'beside', 'fastapi', 'postgres'] as const
  ).map((role) => runs.find(({ contender }) => contender.role === role)?.runs ?? []);
  const said: string[] = [];
  const short: string[] = [];
  const compare = (name: string, peer: readonly DurableRun[] | undefined, goal: number) => {
    const ratios = (ours ?? []).map(
      ({ perSecond }, round) => perSecond / (peer?.[round]?.perSecond ?? Number.NaN),
    );
    if (ratios.length === 0) return;
    const line = `Durable rate (${kind}): ${formatRange(ratios, 2)} x ${name}`;
    said.push(kind === 'small' ? `${line}, at least ${goal}.` : `${line}.`);
    if (kind === 'small' && !(median(ratios) >= goal)) short.push(`TOO SLOW: ${line}.`);
  };
  compare('FastAPI + SQLite', fastApi, goals.overFastApi);
  compare('node:http + PostgreSQL', postgres, goals.overPostgres);
  said.push(...sayBeside(ours ?? [], beside ?? []));
  return { said, short };
}

/** What another release does on the same machine: no goal, but what figures of other days mean. */
function sayBeside(ours: readonly DurableRun[], beside: readonly DurableRun[]): readonly string[] {
  if (beside.length === 0) return [];
  const ratios = (of: (run: DurableRun) => number) =>
    formatRange(
      ours.map((run, round) => of(run) / of(beside[round] ?? run)),
      2,
    );
  const rate = ratios(({ perSecond }) => perSecond);
  const cpu = ratios(({ cpuMicroseconds }) => cpuMicroseconds);
  return [`The other release: ${rate} x its rate, ${cpu} x its processor time for an event.`];
}

/** The largest of all rounds counts: a device has no more in any of them. */
export function judgeMemory(runs: readonly MemoryRun[]): Verdict {
  const [start, peak, idle] = (['startBytes', 'peakBytes', 'idleBytes'] as const).map((name) =>
    runs.map((run) => run[name] / 1e6),
  );
  if (!start || !peak || !idle) return { said: [], short: [] };
  const line = (what: string, megabytes: readonly number[]) =>
    `Memory ${what}: ${formatRange(megabytes)} MB`;
  const peakLine = line('with 64 producers', peak);
  const idleLine = line('once they are gone', idle);
  return {
    said: [
      `${line('at the start', start)}.`,
      `${peakLine}, at most ${goals.peakMegabytes}.`,
      `${idleLine}, at most ${goals.idleMegabytes}.`,
    ],
    short: [
      ...(Math.max(...peak) <= goals.peakMegabytes ? [] : [`TOO LARGE: ${peakLine}.`]),
      ...(Math.max(...idle) <= goals.idleMegabytes ? [] : [`TOO LARGE: ${idleLine}.`]),
    ],
  };
}

export function formatUploads(results: readonly UploadResult[]): string {
  const header = ['', ...uploadBytes.flatMap((bytes) => uploadColumns(bytes / 1e6))];
  const rows = results.map(({ contender, runs }) => [
    contender.name,
    ...uploadBytes.flatMap((bytes) => {
      const measured = runs.filter((run) => run.bytes === bytes);
      return [
        formatRange(measured.map(({ megabytesPerSecond }) => megabytesPerSecond)),
        formatRange(measured.map(({ cpuMs }) => cpuMs)),
        formatRange(measured.map(({ peakBytes }) => peakBytes / 1e6)),
      ];
    }),
  ]);
  return `Upload of a video, synced before it is answered\n${formatTable([header, ...rows])}`;
}

function uploadColumns(megabytes: number): readonly string[] {
  return [`${megabytes} MB: MB/s`, 'CPU ms', 'peak RSS MB'];
}

export function judgeUploads(results: readonly UploadResult[]): Verdict {
  const [small, large] = uploadBytes;
  const of = (role: Contender['role'], bytes: number) =>
    results
      .filter(({ contender }) => contender.role === role)
      .flatMap(({ runs }) => runs.filter((run) => run.bytes === bytes));
  const ours = of('ours', large);
  if (ours.length === 0) return { said: [], short: [] };
  const raw = of('raw', large);
  const speeds = ours.map(
    ({ megabytesPerSecond }, round) =>
      megabytesPerSecond / (raw[round]?.megabytesPerSecond ?? Number.NaN),
  );
  const peaks = [large, small].map((bytes) =>
    median(of('ours', bytes).map(({ peakBytes }) => peakBytes)),
  );
  const growth = (peaks[0] ?? 0) / (peaks[1] ?? 0);
  const speed = `Upload: ${formatRange(speeds, 2)} x a raw body into a file`;
  const peak = `Peak memory of an upload of 500 MB: ${growth.toFixed(2)} x that of 50 MB`;
  return {
    said: [`${speed}, at least ${goals.ofRawPipe}.`, `${peak}, at most ${goals.uploadPeak}.`],
    short: [
      ...(median(speeds) >= goals.ofRawPipe ? [] : [`TOO SLOW: ${speed}.`]),
      ...(growth <= goals.uploadPeak ? [] : [`TOO LARGE: ${peak}.`]),
    ],
  };
}

export function formatPages(results: readonly PagesResult[]): string {
  const header = ['Median and worst ms', ...results.map(({ size }) => formatCount(size))];
  const names = results[0]?.times.map(({ query }) => query.name) ?? [];
  const rows = names.map((name, index) => [
    name,
    ...results.map(({ times }) => {
      const { medianMs = Number.NaN, worstMs = Number.NaN } = times[index] ?? {};
      return `${medianMs.toFixed(1)} / ${worstMs.toFixed(1)}`;
    }),
  ]);
  const disk = results.map(({ diskBytes }) => Math.round(diskBytes / 1e6).toString());
  rows.push(['MB on the disk', ...disk]);
  return `Pages of 100 events over HTTP, by events in the store\n${formatTable([header, ...rows])}`;
}

export function judgePages({ results, inserts }: PagesMeasured): Verdict {
  const largest = results.at(-1);
  const before = results.at(-2);
  if (!largest) return { said: [], short: [] };
  const size = formatCount(largest.size);
  const said: string[] = [];
  const short: string[] = [];
  const judge = (what: string, mostMs: number, times: readonly QueryTime[]) => {
    const [slowest] = times.toSorted((a, b) => b.medianMs - a.medianMs);
    if (!slowest) return;
    const worst = `${slowest.medianMs.toFixed(1)} ms (${slowest.query.name})`;
    said.push(`Slowest page with ${what} at ${size} events: ${worst}, at most ${mostMs} ms.`);
    for (const { query, medianMs } of times.filter((time) => time.medianMs > mostMs)) {
      short.push(`TOO SLOW at ${size}: ${query.name}, ${medianMs.toFixed(1)} ms.`);
    }
  };
  const { times } = largest;
  judge(
    'one predicate',
    goals.pageMs,
    times.filter(({ query }) => query.predicates <= 1),
  );
  judge(
    'several predicates',
    goals.narrowPageMs,
    times.filter(({ query }) => query.predicates > 1),
  );
  if (before && inserts) {
    const rates = inserts.large.map((rate, round) => rate / (inserts.small[round] ?? Number.NaN));
    const line = `Inserts at ${size}: ${formatRange(rates, 2)} x those at ${formatCount(before.size)}`;
    const each = `${Math.round(median(inserts.large))} a second`;
    said.push(`${line}, ${each}, at least ${goals.insertRate}.`);
    if (median(rates) < goals.insertRate) short.push(`TOO SLOW: ${line}.`);
  }
  return { said, short };
}

function formatCount(count: number): string {
  return count.toLocaleString('en');
}

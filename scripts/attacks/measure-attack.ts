// One attack, measured from outside: what others wait, what memory it takes, what it leaves.

import { setTimeout as wait } from 'node:timers/promises';
import type { Attack, Target } from './attack.ts';
import type { Watcher } from './latency-probe.ts';
import {
  isRunning,
  type ProcessState,
  readPeak,
  readProcessorTime,
  readState,
  resetPeak,
} from './process-state.ts';
import { type Reply, type Request, send } from './raw-request.ts';
import type { Running } from './targets.ts';

/** What no attack may take. */
export const bounds = { pauseMsMax: 250, peakBytesMax: 300 * 1024 * 1024 } as const;

/** An attack that takes longer is stopped, and its service with it. */
const attackMsMax = 30_000;

/** Files and descriptors that are not needed any more are gone after this: idle connections too. */
const settleMsMax = 15_000;

/** A connection of the watcher, and what a library opens once and keeps. */
const descriptorsMore = 4;
/** Threads for annotations, long reads and images start with the first work, and wait for more. */
const threadsMore = 6;
/** What such a thread holds: what it waits on, and files of the database. */
const descriptorsOfThread = 7;

export interface Measured {
  readonly name: string;
  readonly target: string;
  /** By status, or what became of a connection: how many. */
  readonly statuses: ReadonlyMap<string, number>;
  readonly pauseMs: number;
  readonly peakBytes: number;
  readonly problems: readonly string[];
  /** The service still works at it. */
  readonly worksOn?: boolean;
  /** How often it was made; the least pause counts. */
  readonly tries?: number;
}

/** Runs it; the service goes on afterwards, or a new one in its place. */
export async function measure(
  attack: Attack,
  running: Running,
  watcher: Watcher,
): Promise<Measured> {
  const record = createRecord(attack, running);
  const run = await attack.prepare(record.target);
  record.begin();
  const { service } = running;
  const before = readState(service.pid, service.folder);
  const processor = readProcessorTime(service.pid);
  resetPeak(service.pid);
  await watcher.take();
  const ended = await withinTime(record, run);
  const seen = await watcher.take();
  const peakBytes = Math.max(0, readPeak(service.pid) - before.rssBytes);
  const pauseMs = Math.max(seen.longestMs, ...record.pauses);
  const waited = waitedShare(processor, readProcessorTime(service.pid));
  const problems = [...record.problems];
  if (!ended) problems.push(`not answered within ${attackMsMax / 1_000} s`);
  for (const [status, count] of Object.entries(seen.refusals)) {
    problems.push(`the second caller got ${status}, ${count} times`);
  }
  if (!isRunning(service.pid)) problems.push(`the service ended: ${service.log()}`);
  else if (ended && !record.worksOn())
    problems.push(...(await leftBehind(running, before, record.hasStored())));
  record.stop();
  if (!ended || attack.restarts || !isRunning(service.pid)) await service.restart();
  return {
    name: attack.name,
    target: attack.target,
    statuses: record.statuses,
    pauseMs,
    peakBytes,
    worksOn: record.worksOn(),
    problems: [...problems, ...overBounds(pauseMs, peakBytes, waited)],
  };
}

/** `waited`: the share of its time in which the service was ready, and others had the processor. */
export function overBounds(pauseMs: number, peakBytes: number, waited: number): readonly string[] {
  const share = Math.round(waited * 100);
  const busy = share < busyPercentMin ? '' : ` (the machine is busy: ${share}% of it was waiting)`;
  return [
    ...(pauseMs > bounds.pauseMsMax ? [`pause${busy}`] : []),
    ...(peakBytes > bounds.peakBytesMax ? ['memory'] : []),
  ];
}

const busyPercentMin = 25;

type ProcessorTime = ReturnType<typeof readProcessorTime>;

function waitedShare(before: ProcessorTime, after: ProcessorTime): number {
  const waited = after.waitedMs - before.waitedMs;
  const all = waited + after.ranMs - before.ranMs;
  return all > 0 ? waited / all : 0;
}

interface Record {
  readonly target: Target;
  readonly statuses: Map<string, number>;
  readonly problems: string[];
  readonly pauses: number[];
  /** Until then nothing is recorded. */
  begin(): void;
  /** Whether a request succeeded that may have stored something. */
  hasStored(): boolean;
  worksOn(): boolean;
  /** Ends what still runs. */
  stop(): void;
}

function createRecord(attack: Attack, { service, key, id }: Running): Record {
  const statuses = new Map<string, number>();
  const problems: string[] = [];
  const pauses: number[] = [];
  const stopping = new AbortController();
  let isMeasured = false;
  let hasStored = false;
  let worksOn = false;
  const sendTo = (request: Request): Promise<Reply> =>
    send(service.url, { key, ...request }, stopping.signal);
  const record = (status: number | string) => {
    if (!isMeasured || stopping.signal.aborted) return;
    const name = status === 0 ? 'cut' : String(status);
    statuses.set(name, (statuses.get(name) ?? 0) + 1);
    const problem = problemOf(attack, name);
    if (problem !== undefined && !problems.includes(problem)) problems.push(problem);
  };
  const target: Target = {
    get url() {
      return service.url;
    },
    get pid() {
      return service.pid;
    },
    port: service.port,
    key,
    record,
    id,
    send: async (request) => {
      const reply = await sendTo(request);
      record(reply.status);
      hasStored ||= reply.status >= 200 && reply.status < 300 && request.body !== undefined;
      return reply;
    },
    ask: async (request) => {
      const { status, text } = await sendTo(request);
      if (status >= 200 && status < 300) return text === '' ? {} : JSON.parse(text);
      throw new Error(
        `${request.method ?? 'GET'} ${request.path}: ${status} ${text.slice(0, 300)}`,
      );
    },
    bystander: async (request, quietMs = 0) => {
      const reply = await sendTo(request);
      if (isMeasured) pauses.push(reply.ms - quietMs);
      const isFine = reply.status >= 200 && reply.status < 300;
      hasStored ||= isMeasured && isFine;
      if (isMeasured && !isFine) problems.push(`somebody else got ${reply.status}`);
      return reply;
    },
    worksOn: () => {
      worksOn = true;
    },
    fail: (problem) => problems.push(problem),
  };
  return {
    target,
    statuses,
    problems,
    pauses,
    begin: () => {
      isMeasured = true;
    },
    hasStored: () => hasStored,
    worksOn: () => worksOn,
    stop: () => stopping.abort(),
  };
}

function problemOf(attack: Attack, status: string): string | undefined {
  if (status === 'cut') return attack.mayCut ? undefined : 'a connection was cut';
  if (!/^5\d\d$/.test(status) || status === '529') return undefined;
  return attack.contractStatuses?.includes(Number(status)) ? undefined : `answered ${status}`;
}

async function withinTime(record: Record, run: () => Promise<unknown>): Promise<boolean> {
  const late = new AbortController();
  const outcome = await Promise.race([
    run().then(() => true),
    wait(attackMsMax, false, { signal: late.signal }).catch(() => false),
  ]);
  late.abort();
  if (!outcome) record.stop();
  return outcome;
}

/**
 * Waits until the process holds no more than before, and says what it still holds then. It has more
 * time as long as it holds less and less: it still answers what it was sent.
 */
async function leftBehind(
  { service }: Running,
  before: ProcessState,
  hasStored: boolean,
): Promise<readonly string[]> {
  let least = Number.POSITIVE_INFINITY;
  let startMs = performance.now();
  for (;;) {
    const state = readState(service.pid, service.folder);
    const problems = differences(before, state, hasStored);
    if (state.descriptors < least) startMs = performance.now();
    least = Math.min(least, state.descriptors);
    if (problems.length === 0 || performance.now() - startMs > settleMsMax) return problems;
    await wait(100);
  }
}

function differences(before: ProcessState, after: ProcessState, hasStored: boolean) {
  const problems: string[] = [];
  const threads = after.threads - before.threads;
  const more = after.descriptors - before.descriptors;
  if (more > descriptorsMore + descriptorsOfThread * Math.max(0, threads)) {
    problems.push(`${more} more descriptors`);
  }
  if (threads > threadsMore) problems.push(`${threads} more threads`);
  const files = [...after.files].filter((path) => !before.files.has(path));
  // What was accepted is stored in the data folder, and nowhere else.
  const strays = files.filter((path) => !hasStored || isUnfinished(path));
  if (strays.length > 0) problems.push(`${strays.length} files left: ${strays.slice(0, 3)}`);
  return problems;
}

function isUnfinished(path: string): boolean {
  return /^tmp\/|\/incoming\/|\/unfinished\/|\.(tmp|part)$/.test(path);
}

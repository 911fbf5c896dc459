// Sends requests to one service, and holds it against what must be: no error of its own, nobody
// waits, and afterwards it holds no more than before.

import { setTimeout as wait } from 'node:timers/promises';
import { startWatcher, type Watcher } from '../attacks/latency-probe.ts';
import { bounds } from '../attacks/measure-attack.ts';
import { type ProcessState, readState } from '../attacks/process-state.ts';
import { type Reply, send } from '../attacks/raw-request.ts';
import type { Release } from '../attacks/service.ts';
import { type Running, startTarget } from '../attacks/targets.ts';
import { inspectorFlag, openGarbageCollector } from './collect-garbage.ts';
import type { WireRequest } from './malformed-requests.ts';
import { describe, shrink } from './shrink-request.ts';
import { type Fuzzed, openSource } from './targets.ts';

export interface FuzzOptions {
  readonly target: Fuzzed;
  readonly requests: number;
  readonly seed: number;
  say(line: string): void;
}

export interface Outcome {
  readonly statuses: ReadonlyMap<number, number>;
  /** The longest wait of the second caller that came again when its requests did. */
  readonly longestMs: number;
  /** Waits above the bound that did not come again: of the machine, as far as can be seen. */
  readonly passingPauses: number;
  /** Of memory at rest: than after the warm-up, and than after half of the requests. */
  readonly moreBytes: { readonly warmUp: number; readonly half: number };
  readonly problems: readonly string[];
}

/** Requests that run at the same time, and so may share a pause. */
const batchSize = 10;

/** `fovea http` takes 600 calls a minute of one user; a call refused for that proves nothing. */
const batchGapMs: Readonly<Record<Fuzzed, number>> = { platform: 0, 'event-store': 0, http: 1_050 };

/** The percentage of requests after which modules are loaded and caches are full. */
const warmUpPercent = 5;
const fullPercent = 50;

/**
 * Memory that the service may hold more than after its warm-up, without its garbage: caches of the
 * database (48 MB of pages, 32 MB of thumbnails); and more than after half of all requests: they
 * are full by then.
 */
const moreBytesMax = { warmUp: 80 * 1024 * 1024, half: 30 * 1024 * 1024 } as const;

/** Unused threads and connections end within this time. */
const settleMs = 16_000;
const requestMsMax = 10_000;

export async function fuzz(release: Release, options: FuzzOptions): Promise<Outcome> {
  const { target } = options;
  // Thousands of calls a minute would be answered with 429, and prove nothing.
  const inspected = { ...release, flags: [inspectorFlag] };
  const running = await startTarget(target, inspected, { FOVEA_RATE_LIMIT: '0' });
  const watcher = startWatcher();
  const { service, cheap, gapMs, key } = running;
  // The key of the settings: requests of the fuzz may revoke any other.
  const request = cheap.key === undefined ? cheap : { ...cheap, key };
  watcher.watch({ url: service.url, request, gapMs });
  try {
    return await fuzzRunning(running, watcher, options);
  } finally {
    await watcher.close();
    await service.stop();
  }
}

async function fuzzRunning(
  running: Running,
  watcher: Watcher,
  { target, requests, seed, say }: FuzzOptions,
): Promise<Outcome> {
  const source = await openSource(target, running);
  const collectGarbage = await openGarbageCollector(running.service);
  const judge = createJudge(running, watcher, target);
  const after = (percent: number) => Math.ceil((requests * percent) / 100 / batchSize) * batchSize;
  const [warm, full] = [after(warmUpPercent), after(fullPercent)];
  let warmState: ProcessState | undefined;
  let fullState: ProcessState | undefined;
  for (let made = 0; made < requests; made += batchSize) {
    if (made === warm) warmState = await settled(running, collectGarbage);
    if (made === full) fullState = await settled(running, collectGarbage);
    const count = Math.min(batchSize, requests - made);
    const batch = await source.sample(count, seed + made);
    await wait(batchGapMs[target]);
    await watcher.take();
    const replies = await Promise.all(batch.map((one) => judge.ask(one)));
    for (const { text } of replies) source.learn(text);
    await judge.look(batch, replies);
    if (running.service.hasEnded()) {
      judge.problems.push(`the service ended: ${running.service.log()}`);
      judge.problems.push(...batch.map(oneOf));
      break;
    }
    if (made % 1_000 === 0 && made > 0) say(`${target}: ${made} of ${requests}`);
  }
  const atEnd = await settled(running, collectGarbage);
  const since = (state: ProcessState | undefined) => atEnd.rssBytes - (state ?? atEnd).rssBytes;
  return {
    statuses: judge.statuses,
    longestMs: judge.longestMs(),
    moreBytes: { warmUp: since(warmState), half: since(fullState) },
    passingPauses: judge.passingPauses(),
    problems: [
      ...judge.problems,
      ...(warmState ? growth(warmState, atEnd, moreBytesMax.warmUp, 'its warm-up') : []),
      ...(fullState ? growth(fullState, atEnd, moreBytesMax.half, 'half of the requests') : []),
    ],
  };
}

function oneOf(request: WireRequest): string {
  return `  one of: ${describe(request)}`;
}

function growth(
  before: ProcessState,
  after: ProcessState,
  bytesMax: number,
  since: string,
): readonly string[] {
  const moreBytes = after.rssBytes - before.rssBytes;
  const descriptors = after.descriptors - before.descriptors;
  const threads = after.threads - before.threads;
  const strays = [...after.files].filter((path) => path.startsWith('tmp/'));
  return [
    ...(moreBytes > bytesMax ? [`${megabytes(moreBytes)} MB more`] : []),
    ...(descriptors > 10 ? [`${descriptors} more descriptors`] : []),
    // libuv starts its four threads with the first work for them.
    ...(threads > 4 ? [`${threads} more threads`] : []),
    ...(strays.length > 0 ? [`${strays.length} temporary files left: ${strays.slice(0, 3)}`] : []),
  ].map((problem) => `${problem} than after ${since}`);
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 2 ** 20);
}

/** The least memory within some time of rest, and what else is held at the end of it. */
async function settled(
  { service }: Running,
  collectGarbage: () => Promise<void>,
): Promise<ProcessState> {
  await collectGarbage();
  let least = Number.POSITIVE_INFINITY;
  const endMs = performance.now() + settleMs;
  for (;;) {
    const state = readState(service.pid, service.folder);
    least = Math.min(least, state.rssBytes);
    if (performance.now() > endMs) return { ...state, rssBytes: least };
    await wait(1_000);
    await collectGarbage();
  }
}

function createJudge({ service, key }: Running, watcher: Watcher, target: Fuzzed) {
  const statuses = new Map<number, number>();
  const problems: string[] = [];
  const known = new Set<string>();
  let longestMs = 0;
  let passing = 0;
  const keys = askers(key);
  const ask = (request: WireRequest): Promise<Reply> => {
    const { method, headers, body, asker, target: path } = request;
    const signal = AbortSignal.timeout(requestMsMax);
    const content = body === undefined ? {} : { body };
    const sent = { method, path, headers, key: keys[asker], ...content };
    // Node's client does not let every header and path out.
    const sending = Promise.resolve().then(() => send(service.url, sent, signal));
    return sending.catch(() => ({ status: -1, text: '', ms: 0 }));
  };
  const report = async (request: WireRequest, what: string, again: typeof isWrong) => {
    const kind = `${what} ${request.name}`;
    if (known.has(kind)) return;
    known.add(kind);
    const smallest = await shrink(request, again);
    problems.push(`${target}: ${what}: ${describe(smallest)}`);
  };
  const isWrong = async (request: WireRequest) => {
    const { status } = await ask(request);
    return isFailure(status, request);
  };
  /** The second caller's wait while this request alone is answered. */
  const pauseOf = async (request: WireRequest) => {
    await watcher.take();
    await ask(request);
    return (await watcher.take()).longestMs;
  };
  const isLong = async (request: WireRequest) => (await pauseOf(request)) > bounds.pauseMsMax;
  const counts = { longestMs: () => longestMs, passingPauses: () => passing };
  return {
    ...counts,
    statuses,
    problems,
    ask,
    look: async (batch: readonly WireRequest[], replies: readonly Reply[]) => {
      const seen = await watcher.take();
      for (const [at, request] of batch.entries()) {
        const { status = 0, text = '' } = replies[at] ?? {};
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (isFailure(status, request)) {
          await report(request, `answered ${status} ${text.slice(0, 120)}`, isWrong);
        }
      }
      for (const status of Object.keys(seen.refusals)) {
        if (known.has(status)) continue;
        known.add(status);
        problems.push(`${target}: the second caller got ${status}`, ...batch.map(oneOf));
      }
      if (seen.longestMs <= bounds.pauseMsMax) {
        longestMs = Math.max(longestMs, seen.longestMs);
        return;
      }
      let isFound = false;
      for (const request of batch) {
        const againMs = Math.min(await pauseOf(request), await pauseOf(request));
        if (againMs <= bounds.pauseMsMax) continue;
        isFound = true;
        longestMs = Math.max(longestMs, againMs);
        await report(request, `pause of ${Math.round(againMs)} ms`, isLong);
      }
      if (!isFound) passing += 1;
    },
  };
}

/** Whom a request says to come from. */
function askers(key: string): Readonly<Record<WireRequest['asker'], string>> {
  return { owner: key, other: 'a-key-of-another', wrong: 'a-key-of-nobody', nobody: '' };
}

/** 0: the connection ended without an answer. */
function isFailure(status: number, { name }: WireRequest): boolean {
  if (status === 502) return name !== 'images_upload' && name !== 'inference_run';
  // The contract's word for a method that nothing here has, and for a model that is not there.
  if (status === 501) return name !== 'inference_run';
  return status >= 500 && status !== 529;
}

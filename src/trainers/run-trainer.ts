// Runs a trainer, a program of the user, without a shell, in a process group that ends with it.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { extname } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Environment } from '../config.ts';
import { limits } from '../limits.ts';
import { readReport, type TrainerCommand, type TrainerReport } from './trainer-protocol.ts';

export interface TrainerRun {
  readonly command: TrainerCommand;
  readonly jobFile: string;
  /** Where it starts. */
  readonly folder: string;
  readonly environment: Environment;
  /** Called for each epoch that it reports, one after the other; what it throws ends the run. */
  onReport(report: TrainerReport): Promise<void>;
  /** Asked every second: `stop` lets it end with what it has, `cancel` ends it at once. */
  wanted(): Promise<'stop' | 'cancel' | undefined>;
  readonly signal: AbortSignal;
}

export interface TrainerEnd {
  /** Its exit code; undefined where a signal ended it, or it could not be started. */
  readonly exitCode: number | undefined;
  /** The last that it said on its error output. */
  readonly log: string;
  /** What was asked of it before it ended. */
  readonly asked: 'stop' | 'cancel' | undefined;
  /** Whether there was such a program to run. */
  readonly isStarted: boolean;
}

/**
 * Resolves once the program has ended, with or without success, and so has its process group.
 * Throws what `onReport` throws, and the reason of the signal.
 */
export async function runTrainer(run: TrainerRun): Promise<TrainerEnd> {
  run.signal.throwIfAborted();
  const child = start(run);
  const ended = endOf(child);
  const log = tailOf(child.stderr);
  let asked: TrainerEnd['asked'];
  const over = new AbortController();
  const first = Promise.withResolvers<void>();
  const asking = askEach(run, over.signal, (wanted) => {
    asked = wanted;
    if (wanted === 'stop') void stopGently(child, first.promise, over.signal);
    else endGroup(child, 'SIGKILL');
  });
  let killing: NodeJS.Timeout | undefined;
  const onAbort = () => {
    endGroup(child, 'SIGTERM');
    killing = setTimeout(() => endGroup(child, 'SIGKILL'), abortedMsMax);
  };
  run.signal.addEventListener('abort', onAbort, { once: true });
  try {
    const reading = readReports(child.stdout, run, first.resolve);
    reading.catch(() => endGroup(child, 'SIGKILL'));
    const { exitCode, isStarted } = await ended;
    // Those that it has started end with it: they may hold its output open.
    endGroup(child, 'SIGKILL');
    await Promise.race([reading, delay(outputMsMax, undefined, { ref: false })]);
    run.signal.throwIfAborted();
    return { exitCode, isStarted, asked, log: log() };
  } finally {
    over.abort();
    clearTimeout(killing);
    run.signal.removeEventListener('abort', onAbort);
    endGroup(child, 'SIGKILL');
    child.stdout.destroy();
    await asking;
  }
}

/** A service that stops waits no longer for its work. */
const abortedMsMax = 500;

/** What it said before its end is in a pipe of 64 KB. */
const outputMsMax = 5_000;

interface Child {
  /** The supervisor, which leads the group. */
  readonly supervisor: ChildProcess;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
}

/**
 * Starts the trainer under a supervisor, which ends it if this process is killed. The input of the
 * trainer stays open until then: its end means to stop.
 */
function start({ command, jobFile, folder, environment }: TrainerRun): Child {
  const entry = new URL(`./trainer-supervisor${extname(import.meta.url)}`, import.meta.url);
  const supervisor = spawn(process.execPath, [fileURLToPath(entry)], {
    cwd: folder,
    shell: false,
    windowsHide: true,
    // A new process group, so that all its processes can be ended.
    detached: process.platform !== 'win32',
    // The channel tells the supervisor that we live; the trainer does not get it.
    stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
    // Where we run inside a desktop application, its program is to be Node alone.
    env: { ...environment, ELECTRON_RUN_AS_NODE: '1' },
  });
  const { stdin, stdout, stderr } = supervisor;
  if (stdin === null || stdout === null || stderr === null) {
    throw new Error('A process that could not be started has no streams.');
  }
  // Where it could not be started, `error` comes.
  supervisor.send([command.path, ...command.args, jobFile], () => undefined);
  // It may close its input, or never be there.
  stdin.on('error', () => undefined);
  return { supervisor, stdin, stdout, stderr };
}

type Ended = Pick<TrainerEnd, 'exitCode' | 'isStarted'>;

async function endOf({ supervisor }: Child): Promise<Ended> {
  const { promise, resolve } = Promise.withResolvers<Ended>();
  let isStarted = true;
  supervisor.once('message', () => {
    isStarted = false;
  });
  supervisor.once('error', () => {
    if (supervisor.pid === undefined) resolve({ exitCode: undefined, isStarted: false });
  });
  // Not `close`: what it has started may hold its output open.
  supervisor.once('exit', async (code) => {
    // A message may be still under way.
    if (supervisor.connected) await once(supervisor, 'disconnect');
    resolve({ exitCode: isStarted ? (code ?? undefined) : undefined, isStarted });
  });
  return promise;
}

/** The last characters of a stream, which is read as fast as it comes. */
function tailOf(stream: Readable): () => string {
  let tail = '';
  stream.setEncoding('utf8');
  stream.on('data', (text: string) => {
    tail = (tail + text).slice(-limits.trainerLogCharactersMax);
  });
  stream.on('error', () => undefined);
  return () => tail.toWellFormed();
}

/** While a report is kept, no more is read. A line that is too long is no report. */
async function readReports(
  stream: Readable,
  { onReport }: TrainerRun,
  onFirst: () => void,
): Promise<void> {
  stream.setEncoding('utf8');
  let line = '';
  for await (const text of stream) {
    const lines = (line + String(text)).split('\n');
    line = (lines.pop() ?? '').slice(0, limits.trainerLineCharactersMax);
    for (const whole of lines) {
      const report = readReport(whole.trim());
      if (report === undefined) continue;
      onFirst();
      await onReport(report);
    }
  }
}

async function askEach(
  { wanted }: TrainerRun,
  signal: AbortSignal,
  onWanted: (wanted: 'stop' | 'cancel') => void,
): Promise<void> {
  let asked: 'stop' | 'cancel' | undefined;
  while (!signal.aborted) {
    // A database that is busy now is asked again.
    const now = await wanted().catch(() => undefined);
    if (now !== undefined && now !== asked) onWanted(now);
    asked = now ?? asked;
    await delay(limits.taskQueuePollMs, undefined, { signal }).catch(() => undefined);
  }
}

/**
 * Its input ends at once. The signal comes once it has reported, as a program that still starts
 * would die of it. Then it has a minute to write down what it has. Windows has no SIGTERM.
 */
async function stopGently(
  child: Child,
  hasReported: Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const minute = () => delay(limits.trainerStopMsMax, undefined, { signal }).catch(() => undefined);
  child.stdin.end();
  await Promise.race([hasReported, minute()]);
  if (!signal.aborted && process.platform !== 'win32') endGroup(child, 'SIGTERM');
  await minute();
  if (!signal.aborted) endGroup(child, 'SIGKILL');
}

/** Sends a signal to all of its group that still run. */
function endGroup({ supervisor }: Child, signal: 'SIGTERM' | 'SIGKILL'): void {
  const { pid } = supervisor;
  if (pid === undefined) return;
  if (process.platform === 'win32') {
    // Windows has no signals: the whole tree is ended.
    const words = ['/pid', String(pid), '/T', '/F'];
    spawn('taskkill', words, { stdio: 'ignore', shell: false }).on('error', () => undefined);
    return;
  }
  try {
    process.kill(-pid, signal);
  } catch {
    // None of them runs any more.
  }
}

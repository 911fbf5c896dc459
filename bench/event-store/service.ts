// A service that is measured: its processes, from their start to their end.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { get } from 'node:http';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Usage, usageOfTree } from '../measure/process-tree.ts';

/** One running process with all that it started. */
export interface Program {
  readonly pid: number;
  /** Resolves when nothing of it is left. */
  stop(signal?: NodeJS.Signals): Promise<void>;
  /** The last words of the process, for an error. */
  words(): string;
  hasEnded(): boolean;
}

export interface ProgramOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** The user to run as. */
  readonly uid?: number;
  readonly gid?: number;
}

/** A service under measurement. */
export interface Service {
  readonly url: string;
  /** Of all its processes. */
  usage(): Usage;
  /** Open file descriptors of its first process. */
  openFiles(): number;
  stop(): Promise<void>;
}

export function startProgram(
  command: string,
  parameters: readonly string[],
  { env = {}, ...user }: ProgramOptions = {},
): Program {
  const child = spawn(command, [...parameters], {
    ...user,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, LANG: 'C.UTF-8', ...env },
  });
  running.add(child);
  let words = '';
  const listen = (chunk: Buffer) => {
    words = `${words}${chunk.toString()}`.slice(-2_000);
  };
  child.stdout.on('data', listen);
  child.stderr.on('data', listen);
  child.once('error', ({ message }) => {
    words += message;
  });
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  return {
    pid: child.pid ?? 0,
    words: () => words,
    hasEnded,
    stop: async (signal = 'SIGTERM') => {
      const gone = hasEnded() ? undefined : once(child, 'exit');
      child.kill(signal);
      const deadline = setTimeout(() => killTree(child), endMsMax);
      await gone;
      clearTimeout(deadline);
      killTree(child);
      running.delete(child);
    },
  };
}

/** A service of these programs, once it answers; the first one is the one that listens. */
export async function serviceOf(url: string, programs: readonly Program[]): Promise<Service> {
  const stop = async () => {
    for (const program of programs) await program.stop();
  };
  try {
    await untilAnswered(`${url}/health`, programs);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url,
    usage: () => {
      const all = programs.map(({ pid }) => usageOfTree(pid));
      return {
        cpuMs: all.reduce((sum, { cpuMs }) => sum + cpuMs, 0),
        peakBytes: all.reduce((sum, { peakBytes }) => sum + peakBytes, 0),
        residentBytes: all.reduce((sum, { residentBytes }) => sum + residentBytes, 0),
      };
    },
    openFiles: () => readdirSync(`/proc/${programs[0]?.pid}/fd`).length,
    stop,
  };
}

/** Ends what still runs, at once: for the moment when the bench itself is stopped. */
export function endAll(): void {
  for (const child of running) killTree(child);
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (typeof address !== 'object' || address === null) throw new Error('There is no free port.');
  return address.port;
}

const running = new Set<ChildProcess>();
const startMsMax = 30_000;
const endMsMax = 20_000;

async function untilAnswered(url: string, programs: readonly Program[]): Promise<void> {
  const deadline = performance.now() + startMsMax;
  while (!(await isAnswered(url))) {
    const ended = programs.find((program) => program.hasEnded());
    if (ended || performance.now() > deadline) {
      throw new Error(`A service did not start.\n${(ended ?? programs[0])?.words()}`);
    }
    await sleep(50);
  }
}

function isAnswered(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    get(url, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    }).on('error', () => resolve(false));
  });
}

function killTree({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Nothing of the group is left.
  }
}

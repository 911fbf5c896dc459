// One process of the cluster, as a supervisor of a system runs it: whenever it ends, it is started
// again, until it starts.

import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { killProcess } from '../../test/fixtures/kill-process.ts';
import {
  countRunning,
  entryUnderTest,
  nodeUnderTest,
  startedOnce,
} from '../../test/fixtures/under-test.ts';

export interface MemberOptions {
  readonly name: string;
  /** Behind `fovea`. */
  readonly words: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Where it answers; empty: nowhere. */
  readonly url?: string;
  /** The one on which it runs; undefined: all of them. Linux alone knows that. */
  readonly core?: number;
}

/** A supervisor waits so long before it starts again what has ended. */
const restartMs = 500;

/** In vain: no fault lasts so long. */
const startsMax = 60;

export class Member {
  readonly name: string;
  readonly url: string;
  /** What it wrote to stderr, all its lives long. */
  readonly log: string[] = [];
  /** How often it ended by itself after it had started. */
  crashes = 0;
  readonly #options: MemberOptions;
  #child: ChildProcess | undefined;
  #isWanted = true;
  #starting: Promise<void> | undefined;

  constructor(options: MemberOptions) {
    this.name = options.name;
    this.url = options.url ?? '';
    this.#options = options;
  }

  /** Resolves once it has said that it works. */
  start(): Promise<void> {
    this.#isWanted = true;
    // Two that are killed and started at the same time would take the port from each other.
    this.#starting ??= this.#startUntilItWorks();
    return this.#starting;
  }

  /** False where another one has killed it already, and starts it again. */
  async kill(): Promise<boolean> {
    if (!this.#isWanted) return false;
    this.#isWanted = false;
    if (this.#child !== undefined) await killProcess(this.#child);
    return true;
  }

  /** As one that a machine has no time for. */
  pause(): void {
    this.#child?.kill('SIGSTOP');
  }

  resume(): void {
    this.#child?.kill('SIGCONT');
  }

  async #startUntilItWorks(): Promise<void> {
    try {
      for (let starts = 1; this.#isWanted && !(await this.#startOnce()); starts += 1) {
        if (starts === startsMax) {
          throw new Error(`${this.name} does not start: ${this.log.at(-1)}`);
        }
        await wait(restartMs);
      }
    } finally {
      this.#starting = undefined;
    }
  }

  async #startOnce(): Promise<boolean> {
    const { words, environment, core } = this.#options;
    const pinned = core === undefined ? [] : ['taskset', '--cpu-list', String(core)];
    const [program = '', ...rest] = [...pinned, nodeUnderTest, entryUnderTest(), ...words];
    const child = spawn(program, rest, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env.PATH, ...startedOnce, ...environment },
    });
    countRunning(child);
    this.#child = child;
    // A trial that breaks off leaves nothing running.
    const end = () => child.kill('SIGKILL');
    process.once('exit', end);
    child.once('exit', () => process.off('exit', end));
    createInterface({ input: child.stderr }).on('line', (line) => this.log.push(line));
    for await (const _line of createInterface({ input: child.stdout })) {
      child.stdout.resume();
      child.once('exit', () => {
        if (this.#isWanted) this.#crashed();
      });
      return true;
    }
    return false;
  }

  #crashed(): void {
    this.crashes += 1;
    void this.start();
  }
}

// One store under trial: started and ended again and again, and its figures.

import { setTimeout as wait } from 'node:timers/promises';
import {
  type EventStoreProcess,
  startEventStoreProcess,
} from '../../test/fixtures/event-store-process.ts';
import { History } from './request-history.ts';
import { type Findings, type JudgeOptions, judge } from './verify-store.ts';

/** What a row of the report says. */
export interface Result {
  readonly name: string;
  readonly acknowledged: number;
  readonly findings: Findings;
  readonly wrongAnswers: readonly string[];
  /** What else there is to say. */
  readonly note: string;
  /** What makes it fail beside its findings. */
  readonly failures: readonly string[];
}

export interface TrialOptions {
  readonly name: string;
  readonly data: string;
  /** Beside the settings of all trials. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Small limits, so that cleanups and sweeps are always at work. */
const settings = {
  MAX_RECORDS: '300',
  RETENTION_DAYS: '0.0003',
  CLEANUP_SECONDS: '0.2',
  DRAFT_SWEEP_SECONDS: '0.2',
  DRAFT_AUTO_FINALIZE_SECONDS: '3',
};

const acknowledgeMsMax = 10_000;

const running = new Set<number>();

/** Ends the stores of all trials, where one was stopped in the middle. */
export function killStores(): void {
  for (const pid of running) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }
}

export class Trial {
  readonly history = new History();
  readonly findings: Findings = { lost: [], torn: [], ghosts: [], stray: [] };
  readonly failures: string[] = [];
  readonly readyMs: number[] = [];
  readonly #options: TrialOptions;
  #data: string;
  #process: EventStoreProcess | undefined;

  constructor(options: TrialOptions) {
    this.#options = options;
    this.#data = options.data;
  }

  get url(): string {
    return this.process.url;
  }

  get process(): EventStoreProcess {
    if (this.#process === undefined) throw new Error('the store is not running');
    return this.#process;
  }

  /** Resolves once it answers. */
  async start(environment: Readonly<Record<string, string>> = {}): Promise<void> {
    const startedMs = performance.now();
    this.#process = await startEventStoreProcess({
      data: this.#data,
      environment: { ...settings, ...this.#options.environment, ...environment },
    });
    this.readyMs.push(performance.now() - startedMs);
    running.add(Number(this.#process.pid));
  }

  /** The store goes on elsewhere: on a copy of its disk. */
  moveTo(data: string): void {
    this.#data = data;
  }

  /** Waits until that many more writes are acknowledged, within a time limit. */
  async acknowledgements(count: number): Promise<void> {
    const { history } = this;
    const wanted = history.acknowledged + count;
    for (let leftMs = acknowledgeMsMax; leftMs > 0 && history.acknowledged < wanted; leftMs -= 2) {
      await wait(2);
    }
  }

  async judge(options: JudgeOptions = {}): Promise<void> {
    const found = await judge(this.history, this.url, this.#data, options);
    this.findings.lost.push(...found.lost);
    this.findings.torn.push(...found.torn);
    this.findings.ghosts.push(...found.ghosts);
    this.findings.stray.push(...found.stray);
  }

  async kill(): Promise<void> {
    const log = this.process.log();
    running.delete(Number(this.process.pid));
    await this.process.kill('SIGKILL');
    this.#process = undefined;
    if (/uncaught|unhandled/i.test(log)) this.failures.push(`the process failed: ${log}`);
  }

  result(note: string): Result {
    const { history, findings, failures } = this;
    return {
      name: this.#options.name,
      acknowledged: history.acknowledged,
      findings,
      wrongAnswers: history.wrongAnswers,
      note,
      failures,
    };
  }
}

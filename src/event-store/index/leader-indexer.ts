// Lets a thread of the process that leads put events into the index, once some are behind.

import { extname, join } from 'node:path';
import { FoveaError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { Log } from '../../log.ts';
import { WorkerThread } from '../../worker-thread.ts';
import { startLeaderElection } from '../retention/leader-election.ts';
import { startPeriodicTask } from '../retention/periodic-task.ts';
import type { EventStore, IndexLag } from '../store/store.ts';
import { indexPathOf } from './index-file.ts';
import type { IndexThreadAnswer, IndexThreadData } from './index-thread.ts';

export interface LeaderIndexerOptions {
  readonly store: EventStore;
  /** The data folder; it holds the lock of the index. */
  readonly data: string;
  readonly log: Log;
}

export interface LeaderIndexer {
  /** Why filters look at events one by one, if they do. */
  health(): readonly string[];
  stop(): Promise<void>;
}

/** Events are found without the index too, so nothing that fails here is an error. */
export function startLeaderIndexer({ store, data, log }: LeaderIndexerOptions): LeaderIndexer {
  const indexing = new Indexing(store, data);
  const election = startLeaderElection({
    path: join(data, 'index.lock'),
    log,
    onElected: () => {
      indexing.lead();
      return { stop: () => indexing.stopLeading() };
    },
  });
  const task = startPeriodicTask('The index', limits.indexPollMs, () => indexing.round(), log);
  return {
    health: () => indexing.problems,
    stop: async () => {
      await election.stop();
      await task.stop();
    },
  };
}

class Indexing {
  readonly #store: EventStore;
  readonly #data: string;
  #isLeader = false;
  #thread: WorkerThread<'step', IndexThreadAnswer> | undefined;
  #lag: IndexLag = { behind: 0, records: 0 };
  #failure: string | undefined;
  #failures = 0;
  #idleRounds = 0;
  #pausedRounds = 0;

  constructor(store: EventStore, data: string) {
    this.#store = store;
    this.#data = data;
  }

  lead(): void {
    this.#isLeader = true;
  }

  async stopLeading(): Promise<void> {
    this.#isLeader = false;
    await this.#endThread();
  }

  get problems(): readonly string[] {
    const { behind, records } = this.#lag;
    const looks = 'filters look at events one by one';
    if (this.#failure !== undefined) {
      return [`The index of events is made anew, and until then ${looks}: ${this.#failure}`];
    }
    if (behind <= limits.eventsLookedAtMax) return [];
    const percent = Math.floor((100 * Math.max(0, records - behind)) / Math.max(1, records));
    return [`The index of events is being made (${percent} %): until then ${looks}.`];
  }

  async round(): Promise<void> {
    this.#lag = await this.#store.indexLag();
    if (!this.#isLeader) return;
    if (this.#lag.behind < limits.indexedAtOnceMin) {
      this.#failure = undefined;
      this.#idleRounds += 1;
      if (this.#idleRounds > limits.indexIdleRoundsMax) await this.#endThread();
      return;
    }
    this.#idleRounds = 0;
    if (this.#pausedRounds > 0) this.#pausedRounds -= 1;
    else await this.#catchUp();
  }

  async #catchUp(): Promise<void> {
    for (;;) {
      const { failure, hasMore } = await this.#step();
      if (!this.#isLeader) return;
      this.#failure = failure;
      if (failure !== undefined) this.#pause();
      if (failure !== undefined || !hasMore) return;
      this.#lag = await this.#store.indexLag();
      if (this.#lag.behind <= limits.eventsLookedAtMax) this.#failures = 0;
    }
  }

  /** Longer each time, since what is made anew again and again wears the disk. */
  #pause(): void {
    const rounds = limits.indexRetryRoundsMin * 2 ** this.#failures;
    this.#pausedRounds = Math.min(rounds, limits.indexRetryRoundsMax);
    this.#failures += 1;
  }

  async #step(): Promise<IndexThreadAnswer> {
    try {
      if (this.#thread?.isUsable !== true) this.#thread = this.#startThread();
      const answer = await this.#thread.ask('step', { msMax: limits.indexStepMsMax });
      if (typeof answer === 'object') return answer;
      return { hasMore: false, failure: `Its thread was ${answer}.` };
    } catch (thrown) {
      if (!(thrown instanceof FoveaError)) return { hasMore: false, failure: 'It has no thread.' };
      return { hasMore: false, failure: thrown.message };
    }
  }

  #startThread(): WorkerThread<'step', IndexThreadAnswer> {
    const data: IndexThreadData = {
      events: join(this.#data, 'events.db'),
      index: indexPathOf(this.#data),
    };
    return new WorkerThread({
      entry: new URL(`./index-thread${extname(import.meta.url)}`, import.meta.url),
      data,
      megabytesMax: limits.indexThreadMegabytesMax,
    });
  }

  async #endThread(): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.terminate();
  }
}

// Lets the process that leads put events into the index, once some are behind.

import { join } from 'node:path';
import { limits } from '../../limits.ts';
import type { Log } from '../../log.ts';
import { startLeaderElection } from '../retention/leader-election.ts';
import { startPeriodicTask } from '../retention/periodic-task.ts';
import type { EventStore, IndexLag } from '../store/store.ts';

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
  const indexing = new Indexing(store);
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
  #isLeader = false;
  #lag: IndexLag = { behind: 0, records: 0 };
  #failure: string | undefined;
  #failures = 0;
  #pausedRounds = 0;

  constructor(store: EventStore) {
    this.#store = store;
  }

  lead(): void {
    this.#isLeader = true;
  }

  async stopLeading(): Promise<void> {
    this.#isLeader = false;
    await this.#store.stopIndexing();
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
      return;
    }
    if (this.#pausedRounds > 0) this.#pausedRounds -= 1;
    else await this.#catchUp();
  }

  async #catchUp(): Promise<void> {
    for (;;) {
      const { failure, hasMore } = await this.#store.indexSome();
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
}

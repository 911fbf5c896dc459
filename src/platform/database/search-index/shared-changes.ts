// Changes of single images that come at about the same time share one transaction and one update of
// the index: an import of many images then costs what a few large changes cost.

import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../../clock.ts';
import { currentWork } from '../../../current-caller.ts';
import { FoveaError } from '../../../errors.ts';
import { limits } from '../../../limits.ts';
import type { AsyncDatabase } from '../../../storage/async-database.ts';
import type { ImageIndex } from '../../store/image-index.ts';
import { changeWithin, changingImages } from './update-index.ts';

interface Change {
  readonly imageId: string;
  /** Whether the image is not there before. */
  readonly isNew: boolean;
  /** Whether its writes must not run beside those of others. */
  readonly isAlone: boolean;
  /** Does its writes; what it gives tells the caller that they are on the disk. */
  readonly run: () => Promise<() => void>;
  readonly reject: (reason: unknown) => void;
}

/** Of one database: whoever changes one image calls it in place of `changingImages`. */
export class SharedChanges {
  readonly #database: AsyncDatabase;
  readonly #index: ImageIndex;
  /** By the caller: the log of changes has one for each transaction. */
  readonly #waiting = new Map<string, Change[]>();

  constructor(database: AsyncDatabase, index: ImageIndex) {
    this.#database = database;
    this.#index = index;
  }

  /**
   * Resolves once the writes are on the disk. Where they throw, they alone are undone: they may run
   * twice. In a transaction of the caller they belong to that.
   */
  change<Result>(imageId: string, writes: () => Promise<Result>, isAlone = false): Promise<Result> {
    return this.#share({ imageId, isNew: false, isAlone }, writes);
  }

  /**
   * The same where the writes add the image, under an id that no image has. They send all their
   * statements before they first wait.
   */
  add<Result>(imageId: string, writes: () => Promise<Result>): Promise<Result> {
    return this.#share({ imageId, isNew: true, isAlone: false }, writes);
  }

  #share<Result>(
    change: Pick<Change, 'imageId' | 'isNew' | 'isAlone'>,
    writes: () => Promise<Result>,
  ): Promise<Result> {
    if (this.#database.isInTransaction) {
      const { imageId, isNew } = change;
      const added = new Set(isNew ? [imageId] : []);
      return changingImages(this.#database, this.#index, [imageId], writes, {
        added,
        areSentAtOnce: isNew,
      });
    }
    return new Promise((resolve, reject) => {
      const run = async () => {
        const result = await writes();
        return () => resolve(result);
      };
      this.#wait({ ...change, run, reject });
    });
  }

  #wait(change: Change): void {
    const key = JSON.stringify(currentWork() ?? {});
    const others = this.#waiting.get(key);
    if (others) others.push(change);
    else {
      this.#waiting.set(key, [change]);
      void this.#writeAll(key);
    }
  }

  async #writeAll(key: string): Promise<void> {
    const waiting = this.#waiting.get(key) ?? [];
    let before = 1;
    for (;;) {
      // Those that are asked for in this turn come along.
      await setImmediate();
      // Where several came before, several are on their way.
      const isImport = before > 1 || waiting.length > 1;
      if (isImport) await this.#gather(waiting);
      if (waiting.length === 0) break;
      before = await this.#writeSome(waiting);
    }
    this.#waiting.delete(key);
  }

  async #gather(waiting: readonly Change[]): Promise<void> {
    const endMs = systemClock.monotonic() + limits.imagesChangedWaitMsMax;
    while (waiting.length < limits.imagesChangedAtOnceMax && systemClock.monotonic() < endMs) {
      await sleep(1);
    }
  }

  /** How many of those that wait it wrote. */
  async #writeSome(waiting: Change[]): Promise<number> {
    const some: Change[] = [];
    const fill = () => {
      some.push(...waiting.splice(0, limits.imagesChangedAtOnceMax - some.length));
    };
    // Others write first: those who come meanwhile come along.
    await this.#write(some, fill);
    return some.length;
  }

  async #write(changes: readonly Change[], fill = () => {}): Promise<void> {
    try {
      const ends = await this.#database.transaction(async () => {
        await this.#database.get('SELECT 1 AS n', [], () => undefined);
        fill();
        return this.#writeWithin(changes);
      });
      for (const end of ends) end();
    } catch (thrown) {
      fill();
      // Where the database is away, each would only wait for it again.
      const isAway = thrown instanceof FoveaError && thrown.code === 'unavailable';
      // Nothing of them is there: each alone, so that one does not stop the others.
      if (isAway || changes.length === 1) for (const { reject } of changes) reject(thrown);
      else for (const change of changes) await this.#write([change]);
    }
  }

  #writeWithin(changes: readonly Change[]): Promise<readonly (() => void)[]> {
    const ids = changes.map(({ imageId }) => imageId);
    const added = new Set(changes.flatMap(({ imageId, isNew }) => (isNew ? imageId : [])));
    const areApart = new Set(ids).size === ids.length && !changes.some(({ isAlone }) => isAlone);
    const areSentAtOnce = areApart && added.size === ids.length;
    const writeEach = async () => {
      // Statements of one server then take one round trip, not one for each.
      if (areApart) return Promise.all(changes.map(({ run }) => run()));
      const done: (() => void)[] = [];
      for (const { run } of changes) done.push(await run());
      return done;
    };
    return changeWithin(this.#database, this.#index, ids, writeEach, { added, areSentAtOnce });
  }
}

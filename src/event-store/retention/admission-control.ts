// Admits writes while they fit the record, byte and disk limits (Event Store, Limits); evicts the
// oldest events at a limit.

import { FoveaError } from '../../errors.ts';
import type { EventStoreSettings } from '../../event-store-config.ts';
import { limits } from '../../limits.ts';
import type { Log } from '../../log.ts';
import type { FileStore } from '../../storage/file-store.ts';
import type { EventStore } from '../store/store.ts';
import type { BallastFile } from './ballast-file.ts';
import {
  averageFileBytes,
  averageRowBytes,
  type CapacityAmount,
  type CapacityReading,
  cappedAtLimits,
  countedBytes,
  evictionMargin,
  excessMessage,
  excessOf,
  isNothingRemovable,
  isWithinLimits,
  noAmount,
  sumOf,
} from './capacity.ts';
import { usedBytes } from './disk-share.ts';
import type { EventRemover } from './event-remover.ts';
import { cannotFit, type EvictionResult, evictOldest } from './eviction.ts';
import type { MountCheck } from './mount-check.ts';
import type { FolderPolicy } from './retention-policy.ts';

export interface CapacityState {
  /** Why writes are refused; undefined: they are admitted. */
  readonly blocked: string | undefined;
  readonly freeBytes: number;
  /** Bytes of the ballast file; 0 while it is released. */
  readonly ballastBytes: number;
  /** Of files and the database, with what of it does not count towards the byte limit. */
  readonly bytesUsed: number;
  /** What of it counts. */
  readonly bytesCounted: number;
}

/** What a write is expected to add. */
export interface PlannedWrite {
  /** 1, the default: an event; 0: a file of a stored event. */
  readonly records?: 0 | 1;
  /** Bytes of its files; left out: the average of the stored events. */
  readonly bytes?: number | undefined;
}

/** An admitted upload: its bytes count until `end`. */
export interface AdmittedUpload {
  /** Admits the bytes received so far. Throws `full`. */
  received(bytes: number): Promise<void>;
  /** Admits the final size. Throws `full`; the caller must discard the file then. */
  written(bytes: number): Promise<void>;
  end(): void;
}

export interface AdmissionControlDependencies {
  readonly store: EventStore;
  readonly files: FileStore;
  readonly policy: FolderPolicy;
  readonly mountCheck: MountCheck;
  readonly settings: EventStoreSettings;
  readonly remover: EventRemover;
  readonly ballast: BallastFile;
  readonly log: Log;
}

/**
 * Remembers the last capacity reading and what was admitted since. Far from the limits that decides
 * alone; near them each write waits for a new reading, shared by all waiting writes. A reading does
 * not see admitted writes that are still running, so the limits may be exceeded by at most those.
 */
export class AdmissionControl {
  readonly #dependencies: AdmissionControlDependencies;
  #lastReading: CapacityReading | undefined;
  /** Counted from the start of the reading. */
  #admittedSinceReading = noAmount;
  /** Writes that wait for an eviction, in order of arrival. */
  readonly #waitingWrites = new Set<CapacityAmount>();
  /** Of uploads in progress: the disk shows them already, the store does not yet. */
  #incomingBytes = 0;
  #pendingReading: Promise<CapacityReading> | undefined;
  #runningEviction: Promise<EvictionOutcome> | undefined;
  #blocked: string | undefined;
  #isDiskFull = false;
  /** False for a while after an eviction that freed nothing. */
  #mayEvict = true;
  #mayEvictForDisk = true;
  #ineffectiveEvictions = 0;

  constructor(dependencies: AdmissionControlDependencies) {
    this.#dependencies = dependencies;
  }

  /** Why writes are refused, as of the last reading. */
  get blocked(): string | undefined {
    return this.#blocked;
  }

  /**
   * Resolves when a write may begin; at a limit, after an eviction. Throws `full` before anything
   * is written when it cannot fit (Event Store, Errors, 529).
   */
  async admit(write: PlannedWrite = {}): Promise<void> {
    await this.#admitAmount(this.#amountOf(write));
  }

  /**
   * Resolves when the upload of a file for a stored event may begin. `announcedBytes`: its
   * Content-Length, if known; nothing is evicted for it before the bytes arrive. Throws `full`
   * where it could not fit even after evicting all that may be evicted.
   */
  async admitUpload(announcedBytes: number | undefined): Promise<AdmittedUpload> {
    const announced = this.#amountOf({ records: 0, bytes: announcedBytes });
    await this.#rejectWhatCannotFit(announced);
    let counted = 0;
    const count = (bytes: number) => {
      this.#incomingBytes += bytes - counted;
      counted = bytes;
    };
    const admitUpTo = async (bytes: number, diskBytes: number) => {
      if (bytes > this.#dependencies.policy.current.bytesMax)
        throw this.#fullError({ ...announced, bytes });
      await this.#admitAmount({ records: 0, bytes: Math.max(0, bytes - counted), diskBytes });
      count(bytes);
    };
    return {
      received: async (bytes) => {
        if (bytes - counted >= limits.uploadAdmitBytes) await admitUpTo(bytes, bytes - counted);
      },
      written: (bytes) => admitUpTo(bytes, 0),
      end: () => count(0),
    };
  }

  /** Evicts nothing: the announced bytes may never arrive. */
  async #rejectWhatCannotFit(announced: CapacityAmount): Promise<void> {
    if (this.#lastReading && this.#isFarFromLimits(this.#lastReading, announced)) return;
    const policy = this.#dependencies.policy.current;
    if (announced.bytes > policy.bytesMax) throw this.#fullError(announced);
    const reading = await this.#readAgain();
    if (this.#blocked || cannotFit(reading, policy, announced)) throw this.#fullError(announced);
  }

  /** To be called when a write met a full disk: deletes the ballast file and starts an eviction. */
  diskWasFull(): void {
    this.#isDiskFull = true;
    this.#mayEvict = true;
    this.#evict().catch(() => this.#block('The disk is full.'));
  }

  async state(): Promise<CapacityState> {
    const reading = await this.#readAgain();
    const { usage, freeBytes, ballastBytes } = reading;
    return {
      blocked: this.#blocked,
      bytesUsed: usedBytes(usage),
      bytesCounted: countedBytes(reading),
      freeBytes,
      ballastBytes,
    };
  }

  /** To be called every second: renews a reading that is in use, drops one that is not. */
  async refresh(): Promise<void> {
    if (this.#blocked || this.#isDiskFull) {
      await this.#readAgain();
      if (this.#blocked || this.#isDiskFull) await this.#evict();
    } else if (this.#admittedSinceReading.bytes > 0) await this.#readAgain();
    else this.#lastReading = undefined;
    await this.#dependencies.policy.read();
  }

  /**
   * Evicts one batch ahead of need, so that writes need not wait. False: there is enough free
   * capacity, or nothing to evict.
   */
  async evictAhead(): Promise<boolean> {
    const { records, bytes } = evictionMargin(this.#dependencies.policy.current);
    const margin = { records: Math.floor(records / 2) - 1, bytes: bytes / 2, diskBytes: 0 };
    return (await this.#evict(margin, 1)) === 'evicted';
  }

  /** At least one byte, so that it counts, and at most what the settings accept. */
  #amountOf({ records = 1, bytes }: PlannedWrite): CapacityAmount {
    const { videoBytesMax, localOnlyBytesMax, recordBytesMax } = this.#dependencies.settings;
    const reading = this.#lastReading;
    const fileBytes = bytes ?? (reading ? averageFileBytes(reading) : 0);
    const rowBytes = reading ? averageRowBytes(reading) * records : 0;
    const acceptedBytesMax = Math.max(videoBytesMax, localOnlyBytesMax, recordBytesMax);
    const added = Math.min(Math.max(1, fileBytes + rowBytes), acceptedBytesMax);
    return { records, bytes: added, diskBytes: added };
  }

  async #admitAmount(added: CapacityAmount): Promise<void> {
    if (this.#lastReading && this.#isFarFromLimits(this.#lastReading, added))
      this.#countAdmitted(added);
    else await this.#admitNearLimits(added);
  }

  /** Other processes may have admitted as much meanwhile: this one uses an eighth of the room. */
  #isFarFromLimits(reading: CapacityReading, added: CapacityAmount): boolean {
    if (this.#blocked || this.#isDiskFull) return false;
    const eightfold = {
      records: (this.#admittedSinceReading.records + added.records) * 8,
      bytes: (this.#admittedSinceReading.bytes + added.bytes) * 8,
      diskBytes: (this.#admittedSinceReading.diskBytes + added.diskBytes) * 8,
    };
    return isWithinLimits(excessOf(reading, this.#dependencies.policy.current, eightfold));
  }

  #countAdmitted(added: CapacityAmount): void {
    this.#admittedSinceReading = sumOf(this.#admittedSinceReading, added);
  }

  async #admitNearLimits(added: CapacityAmount): Promise<void> {
    // A write that can never fit must not wait: evictions serve all waiting writes.
    if (added.bytes > this.#dependencies.policy.current.bytesMax) throw this.#fullError(added);
    try {
      let outcome: EvictionOutcome = 'enough';
      for (let round = 0; round < evictionRoundsMax; round += 1) {
        const reading = await this.#readAgain();
        if (this.#admitIfFits(reading, added)) return;
        if (outcome === 'impossible' || this.#cannotFitAlone(reading, added)) break;
        this.#waitingWrites.add(added);
        outcome = await this.#evict();
      }
    } finally {
      this.#waitingWrites.delete(added);
    }
    throw this.#fullError(added);
  }

  #admitIfFits(reading: CapacityReading, added: CapacityAmount): boolean {
    if (this.#blocked || this.#isDiskFull) return false;
    const all = sumOf(this.#admittedSinceReading, added);
    if (!isWithinLimits(excessOf(reading, this.#dependencies.policy.current, all))) return false;
    this.#countAdmitted(added);
    return true;
  }

  /** False when not even one small event fits: then the eviction marks the store as blocked. */
  #cannotFitAlone(reading: CapacityReading, added: CapacityAmount): boolean {
    // During an eviction, files of removed events are still on the disk.
    if (this.#runningEviction) return false;
    const policy = this.#dependencies.policy.current;
    return cannotFit(reading, policy, added) && !cannotFit(reading, policy, oneEvent);
  }

  #fullError(added: CapacityAmount): FoveaError {
    const { bytesMax } = this.#dependencies.policy.current;
    const message =
      this.#blocked ??
      (added.bytes > bytesMax
        ? `This has ${added.bytes} bytes, and the store keeps at most ${bytesMax}.`
        : 'The store has no room for this now.');
    return new FoveaError('full', message, { retryAfterSeconds: limits.fullRetryAfterSeconds });
  }

  /** Concurrent callers share one reading. */
  #read(): Promise<CapacityReading> {
    this.#pendingReading ??= this.#readNow().finally(() => {
      this.#pendingReading = undefined;
    });
    return this.#pendingReading;
  }

  async #readNow(): Promise<CapacityReading> {
    const { store, files, ballast, policy } = this.#dependencies;
    this.#admittedSinceReading = noAmount;
    // Read before the usage: an upload that ends meanwhile counts twice rather than not at all.
    const incomingBytes = this.#incomingBytes;
    const usage = await store.usage();
    const freeBytes = await files.freeBytes();
    const ballastBytes = await ballast.heldBytes();
    const reading = { usage, freeBytes, ballastBytes, incomingBytes };
    this.#lastReading = reading;
    const excess = excessOf(reading, policy.current, oneEvent);
    if (isWithinLimits(excess)) {
      if (!this.#isDiskFull) this.#unblock();
    } else if (isNothingRemovable(reading, policy.current.sparesUnsent)) {
      this.#block(excessMessage(excess, reading, policy.current));
    }
    return reading;
  }

  /** A reading that starts after this call, so that it includes all writes that ended before. */
  async #readAgain(): Promise<CapacityReading> {
    await this.#pendingReading?.catch(() => {});
    return this.#read();
  }

  /** One eviction serves all waiting writes. */
  #evict(
    margin: CapacityAmount = noAmount,
    batchesMax: number = limits.urgentBatchesMax,
  ): Promise<EvictionOutcome> {
    if (!this.#mayEvict || this.#dependencies.remover.isStopped)
      return Promise.resolve('impossible');
    this.#runningEviction ??= this.#evictNow(margin, batchesMax).finally(() => {
      this.#runningEviction = undefined;
    });
    return this.#runningEviction;
  }

  async #evictNow(margin: CapacityAmount, batchesMax: number): Promise<EvictionOutcome> {
    const { remover, ballast, mountCheck } = this.#dependencies;
    try {
      // With an unreadable policy file the previous policy stays in force; /health reports it.
      await this.#dependencies.policy.read().catch(() => {});
      const policy = this.#dependencies.policy.current;
      if (this.#isDiskFull) await this.#releaseBallast();
      await remover.unlinkRemoved();
      const [first = oneEvent, ...others] = this.#waitingWrites;
      const all = cappedAtLimits(others.reduce(sumOf, first), policy);
      const read = () => this.#readAgain();
      const dependencies = {
        remover,
        ballast,
        policy,
        read,
        mayEvictForDisk: this.#mayEvictForDisk,
      };
      const result = await evictOldest(dependencies, {
        wanted: all,
        minimum: first,
        margin,
        batchesMax,
      });
      this.#trackIneffective(result);
      this.#isDiskFull = false;
      if (result.events > 0) return 'evicted';
      if (remover.isStopped) return 'impossible';
      const { reading, wanted } = result;
      if (isWithinLimits(excessOf(reading, policy, wanted, margin))) return 'enough';
      const excess = excessOf(reading, policy, oneEvent);
      if (!isWithinLimits(excess))
        this.#blockForAWhile(mountCheck.problem ?? excessMessage(excess, reading, policy));
    } catch (thrown) {
      if (!(thrown instanceof FoveaError) || thrown.code !== 'full') throw thrown;
      this.#isDiskFull = false;
      if (await this.#releaseBallast()) return 'evicted';
      this.#blockForAWhile('The disk is full.');
    }
    return 'impossible';
  }

  /** False: there was no ballast file. */
  async #releaseBallast(): Promise<boolean> {
    const { ballast, log } = this.#dependencies;
    const bytes = await ballast.heldBytes();
    if (bytes === 0) return false;
    await ballast.release();
    log.warn('The disk is full: the ballast file was deleted.', { bytes });
    return true;
  }

  #blockForAWhile(reason: string): void {
    this.#block(reason);
    this.#mayEvict = false;
    setTimeout(() => {
      this.#mayEvict = true;
    }, limits.evictionRetryMs).unref();
  }

  /** A single one may be chance: file systems may report freed space late. */
  #trackIneffective({ isIneffective, events }: EvictionResult): void {
    if (events > 0) this.#ineffectiveEvictions = isIneffective ? this.#ineffectiveEvictions + 1 : 0;
    if (this.#ineffectiveEvictions < limits.ineffectiveEvictionsMax) return;
    this.#ineffectiveEvictions = 0;
    this.#dependencies.log.warn('Evictions free no space on this disk: paused for a minute.');
    this.#mayEvictForDisk = false;
    setTimeout(() => {
      this.#mayEvictForDisk = true;
    }, limits.ineffectiveEvictionPauseMs).unref();
  }

  #block(reason: string): void {
    if (!this.#blocked) this.#dependencies.log.warn('Writes are refused now.', { reason });
    this.#blocked = reason;
  }

  #unblock(): void {
    if (this.#blocked) this.#dependencies.log.warn('There is room again: writes are taken in.');
    this.#blocked = undefined;
  }
}

/** `enough`: there was free capacity; `impossible`: nothing may be evicted now. */
type EvictionOutcome = 'evicted' | 'enough' | 'impossible';

/** Rounds in which other writes used up the freed capacity; so many more would be a defect. */
const evictionRoundsMax = 1_000;

const oneEvent: CapacityAmount = { records: 1, bytes: 1, diskBytes: 1 };

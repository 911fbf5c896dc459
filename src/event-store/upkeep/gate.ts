// Lets writes in while there is room, and has room made at a limit.

import { FoveaError } from '../../errors.ts';
import type { EventStoreSettings } from '../../event-store-config.ts';
import { limits } from '../../limits.ts';
import type { Log } from '../../log.ts';
import type { FileStore } from '../../storage/file-store.ts';
import type { EventStore } from '../store/store.ts';
import type { Addition, AdmittedUpload, Capacity, CapacityState } from './capacity.ts';
import type { Cleaner } from './cleaner.ts';
import { isOutOfReach, type Made, makeRoom } from './make-room.ts';
import type { Doubt } from './plausibility.ts';
import type { FolderPolicy, Policy } from './policy.ts';
import type { Reserve } from './reserve.ts';
import {
  type Amount,
  averageFileBytes,
  averageRowBytes,
  excessOf,
  type Figures,
  isAllSpared,
  isNone,
  keptBytes,
  slackOf,
  wordsFor,
} from './room.ts';

export interface GateParts {
  readonly store: EventStore;
  readonly files: FileStore;
  readonly policy: FolderPolicy;
  readonly doubt: Doubt;
  readonly settings: EventStoreSettings;
  readonly cleaner: Cleaner;
  readonly reserve: Reserve;
  readonly log: Log;
}

/**
 * Keeps figures of the last reading and what it let in since. Away from the limits that is enough;
 * near them it reads anew for each write, one reading for all who wait. Of writes that were let in
 * and have not landed when it reads, it knows nothing: so it lets in too many by at most those that
 * run at the same time, in all processes together.
 */
export class Gate implements Capacity {
  readonly #parts: GateParts;
  #figures: Figures | undefined;
  /** Let in since the reading of the figures began. */
  #since: Amount = none;
  /** Those that room is made for, the first one first. */
  readonly #waiting = new Set<Amount>();
  /** Of uploads that run: a file system shows what came of them, the store does not yet. */
  #incomingBytes = 0;
  #reading: Promise<Figures> | undefined;
  #making: Promise<Room> | undefined;
  #blocked: string | undefined;
  #isDiskFull = false;
  /** False for a while after room could not be made: to look for it costs. */
  #mayMakeRoom = true;
  #mayEmptyDisk = true;
  #futileRuns = 0;

  constructor(parts: GateParts) {
    this.#parts = parts;
  }

  /** Why nothing is taken in, as last seen. */
  get blocked(): string | undefined {
    return this.#blocked;
  }

  async admit(addition: Addition = {}): Promise<void> {
    await this.#admitAmount(this.#amountOf(addition));
  }

  async admitUpload(announcedBytes: number | undefined): Promise<AdmittedUpload> {
    const announced = this.#amountOf({ records: 0, bytes: announcedBytes });
    await this.#refuseWhatCannotFit(announced);
    let counted = 0;
    const count = (bytes: number) => {
      this.#incomingBytes += bytes - counted;
      counted = bytes;
    };
    const admitUpTo = async (bytes: number, diskBytes: number) => {
      if (bytes > this.#parts.policy.now.bytesMax) throw this.#full({ ...announced, bytes });
      await this.#admitAmount({ records: 0, bytes: Math.max(0, bytes - counted), diskBytes });
      count(bytes);
    };
    return {
      came: async (bytes) => {
        if (bytes - counted >= limits.uploadAdmitBytes) await admitUpTo(bytes, bytes - counted);
      },
      written: (bytes) => admitUpTo(bytes, 0),
      end: () => count(0),
    };
  }

  /** Removes nothing: whoever announces bytes may never send them. */
  async #refuseWhatCannotFit(announced: Amount): Promise<void> {
    if (this.#figures && this.#isFarFromLimits(this.#figures, announced)) return;
    const policy = this.#parts.policy.now;
    if (announced.bytes > policy.bytesMax) throw this.#full(announced);
    const figures = await this.#readAnew();
    if (this.#blocked || isOutOfReach(figures, policy, announced)) throw this.#full(announced);
  }

  diskWasFull(): void {
    this.#isDiskFull = true;
    this.#mayMakeRoom = true;
    this.#makeRoom().catch(() => this.#block('The disk is full.'));
  }

  async state(): Promise<CapacityState> {
    const figures = await this.#readAnew();
    const { usage, freeBytes, reserveBytes } = figures;
    const bytesUsed = keptBytes(figures) + usage.logBytes;
    return { blocked: this.#blocked, bytesUsed, freeBytes, reserveBytes };
  }

  /** To be called every second: figures that nobody needs are forgotten, others read anew. */
  async refresh(): Promise<void> {
    if (this.#blocked || this.#isDiskFull) {
      await this.#readAnew();
      if (this.#blocked || this.#isDiskFull) await this.#makeRoom();
    } else if (this.#since.bytes > 0) await this.#readAnew();
    else this.#figures = undefined;
    await this.#parts.policy.read();
  }

  /**
   * Makes a little room ahead of those who will need it, one batch. False: there is enough, or no
   * more to be made.
   */
  async makeRoomAhead(): Promise<boolean> {
    const { records, bytes } = slackOf(this.#parts.policy.now);
    const spare = { records: Math.floor(records / 2) - 1, bytes: bytes / 2, diskBytes: 0 };
    return (await this.#makeRoom(spare, 1)) === 'made';
  }

  /** Never nothing, so that who waits counts; and not what will be refused for its size. */
  #amountOf({ records = 1, bytes }: Addition): Amount {
    const { videoBytesMax, localOnlyBytesMax, recordBytesMax } = this.#parts.settings;
    const figures = this.#figures;
    const fileBytes = bytes ?? (figures ? averageFileBytes(figures) : 0);
    const rowBytes = figures ? averageRowBytes(figures) * records : 0;
    const most = Math.max(videoBytesMax, localOnlyBytesMax, recordBytesMax);
    const added = Math.min(Math.max(1, fileBytes + rowBytes), most);
    return { records, bytes: added, diskBytes: added };
  }

  async #admitAmount(added: Amount): Promise<void> {
    if (this.#figures && this.#isFarFromLimits(this.#figures, added)) this.#letIn(added);
    else await this.#admitSlowly(added);
  }

  /** Other processes may have let in as much meanwhile, so an eighth of the room is ours. */
  #isFarFromLimits(figures: Figures, added: Amount): boolean {
    if (this.#blocked || this.#isDiskFull) return false;
    const eightfold = {
      records: (this.#since.records + added.records) * 8,
      bytes: (this.#since.bytes + added.bytes) * 8,
      diskBytes: (this.#since.diskBytes + added.diskBytes) * 8,
    };
    return isNone(excessOf(figures, this.#parts.policy.now, eightfold));
  }

  #letIn(added: Amount): void {
    this.#since = sum(this.#since, added);
  }

  async #admitSlowly(added: Amount): Promise<void> {
    // It must not wait: room is made for all who wait.
    if (added.bytes > this.#parts.policy.now.bytesMax) throw this.#full(added);
    try {
      let room: Room = 'enough';
      for (let round = 0; round < roundsMax; round += 1) {
        const figures = await this.#readAnew();
        if (this.#letInWhereFits(figures, added)) return;
        if (room === 'none' || this.#isOutOfReachAlone(figures, added)) break;
        this.#waiting.add(added);
        room = await this.#makeRoom();
      }
    } finally {
      this.#waiting.delete(added);
    }
    throw this.#full(added);
  }

  #letInWhereFits(figures: Figures, added: Amount): boolean {
    if (this.#blocked || this.#isDiskFull) return false;
    const all = sum(this.#since, added);
    if (!isNone(excessOf(figures, this.#parts.policy.now, all))) return false;
    this.#letIn(added);
    return true;
  }

  /** Where nothing else has room either, that is to be seen: such a store is blocked. */
  #isOutOfReachAlone(figures: Figures, added: Amount): boolean {
    // Meanwhile files of removed events are still on the disk.
    if (this.#making) return false;
    const policy = this.#parts.policy.now;
    return isOutOfReach(figures, policy, added) && !isOutOfReach(figures, policy, oneMore);
  }

  #full(added: Amount): FoveaError {
    const { bytesMax } = this.#parts.policy.now;
    const message =
      this.#blocked ??
      (added.bytes > bytesMax
        ? `This has ${added.bytes} bytes, and the store keeps at most ${bytesMax}.`
        : 'The store has no room for this now.');
    return new FoveaError('full', message, { retryAfterSeconds: limits.fullRetryAfterSeconds });
  }

  /** One reading for all who ask while it runs. */
  #read(): Promise<Figures> {
    this.#reading ??= this.#readNow().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #readNow(): Promise<Figures> {
    const { store, files, reserve, policy } = this.#parts;
    this.#since = none;
    // Before the usage: an upload that lands meanwhile counts twice rather than not at all.
    const incomingBytes = this.#incomingBytes;
    const usage = await store.usage();
    const freeBytes = await files.freeBytes();
    const reserveBytes = await reserve.heldBytes();
    const figures = { usage, freeBytes, reserveBytes, incomingBytes };
    this.#figures = figures;
    const excess = excessOf(figures, policy.now, oneMore);
    if (isNone(excess)) {
      if (!this.#isDiskFull) this.#unblock();
    } else if (isAllSpared(figures, policy.now.sparesUnsent)) {
      this.#block(wordsFor(excess, figures, policy.now));
    }
    return figures;
  }

  /** A reading that begins after this moment, so that it has all that landed by now. */
  async #readAnew(): Promise<Figures> {
    await this.#reading?.catch(() => {});
    return this.#read();
  }

  /** Makes room for all who wait, once for all of them. */
  #makeRoom(spare: Amount = none, batchesMax: number = limits.urgentBatchesMax): Promise<Room> {
    if (!this.#mayMakeRoom || this.#parts.cleaner.isStopped) return Promise.resolve('none');
    this.#making ??= this.#makeRoomNow(spare, batchesMax).finally(() => {
      this.#making = undefined;
    });
    return this.#making;
  }

  async #makeRoomNow(spare: Amount, batchesMax: number): Promise<Room> {
    const { cleaner, reserve, doubt } = this.#parts;
    try {
      // Where it cannot be read the one before it holds, and health says so.
      await this.#parts.policy.read().catch(() => {});
      const policy = this.#parts.policy.now;
      if (this.#isDiskFull) await this.#giveUpReserve();
      await cleaner.unlinkRemoved();
      const [first = oneMore, ...others] = this.#waiting;
      const all = atMost(others.reduce(sum, first), policy);
      const read = () => this.#readAnew();
      const parts = { cleaner, reserve, policy, read, mayEmptyDisk: this.#mayEmptyDisk };
      const made = await makeRoom(parts, { wanted: all, least: first, spare, batchesMax });
      this.#countFutile(made);
      this.#isDiskFull = false;
      if (made.events > 0) return 'made';
      if (cleaner.isStopped) return 'none';
      const { figures, wanted } = made;
      if (isNone(excessOf(figures, policy, wanted, spare))) return 'enough';
      const excess = excessOf(figures, policy, oneMore);
      if (!isNone(excess)) this.#refuse(doubt.words ?? wordsFor(excess, figures, policy));
    } catch (thrown) {
      if (!(thrown instanceof FoveaError) || thrown.code !== 'full') throw thrown;
      this.#isDiskFull = false;
      if (await this.#giveUpReserve()) return 'made';
      this.#refuse('The disk is full.');
    }
    return 'none';
  }

  /** False: there was none. */
  async #giveUpReserve(): Promise<boolean> {
    const { reserve, log } = this.#parts;
    const bytes = await reserve.heldBytes();
    if (bytes === 0) return false;
    await reserve.giveUp();
    log.warn('The disk is full: the reserve was given up.', { bytes });
    return true;
  }

  #refuse(words: string): void {
    this.#block(words);
    this.#mayMakeRoom = false;
    setTimeout(() => {
      this.#mayMakeRoom = true;
    }, limits.capacityRetryMs).unref();
  }

  /** One alone may be chance: a file system can be late with what was freed. */
  #countFutile({ isFutile, events }: Made): void {
    if (events > 0) this.#futileRuns = isFutile ? this.#futileRuns + 1 : 0;
    if (this.#futileRuns < limits.diskFutileRunsMax) return;
    this.#futileRuns = 0;
    this.#parts.log.warn('Removing events gains no room on this disk: it stops for a minute.');
    this.#mayEmptyDisk = false;
    setTimeout(() => {
      this.#mayEmptyDisk = true;
    }, limits.diskFutileMs).unref();
  }

  #block(words: string): void {
    if (!this.#blocked) this.#parts.log.warn('Writes are refused now.', { reason: words });
    this.#blocked = words;
  }

  #unblock(): void {
    if (this.#blocked) this.#parts.log.warn('There is room again: writes are taken in.');
    this.#blocked = undefined;
  }
}

/** Whether events were removed, or need not be, or none may be now. */
type Room = 'made' | 'enough' | 'none';

/** Rounds in which others took the room that was made; more are a mistake. */
const roundsMax = 1_000;

const none: Amount = { records: 0, bytes: 0, diskBytes: 0 };
const oneMore: Amount = { records: 1, bytes: 1, diskBytes: 1 };

function sum(one: Amount, other: Amount): Amount {
  return {
    records: one.records + other.records,
    bytes: one.bytes + other.bytes,
    diskBytes: one.diskBytes + other.diskBytes,
  };
}

/** More than a limit cannot be kept. */
function atMost(amount: Amount, { recordsMax, bytesMax }: Policy): Amount {
  return {
    records: Math.min(amount.records, recordsMax),
    bytes: Math.min(amount.bytes, bytesMax),
    diskBytes: Math.min(amount.diskBytes, bytesMax),
  };
}

// A zip file from its beginning to its end, for any number of entries. It is written while its
// caller waits: not for a thread that serves others.

import { constants, crc32, deflateRawSync } from 'node:zlib';
import {
  type ContentSums,
  dataDescriptor,
  directoryRecord,
  endRecords,
  localHeader,
  type NamedEntry,
} from './zip-records.ts';

/** The same calls give the same bytes. */
export class ZipFile {
  readonly #write: (bytes: Uint8Array) => void;
  readonly #directory = new RecordList();
  #offset = 0;
  #entry: EntryWriter | undefined;

  /** `write` is done with the bytes when it returns. */
  constructor(write: (bytes: Uint8Array) => void) {
    this.#write = write;
  }

  /** Begins the next entry. `path` is relative, with `/` between its parts. */
  begin(path: string, isDeflated: boolean): void {
    this.#endEntry();
    const named = { name: Buffer.from(path), isDeflated };
    this.#entry = new EntryWriter(named, this.#offset);
    this.#put(localHeader(named));
  }

  /** More of the content of the entry that was begun; the bytes may change afterwards. */
  add(bytes: Uint8Array): void {
    const stored = this.#entry?.add(bytes);
    if (stored !== undefined) this.#put(stored);
  }

  /** Nothing may follow. */
  end(): void {
    this.#endEntry();
    const offset = this.#offset;
    const { count, bytes, blocks } = this.#directory.all();
    for (const block of blocks) this.#put(block);
    this.#put(endRecords({ count, bytes, offset }));
  }

  #endEntry(): void {
    const entry = this.#entry;
    if (entry === undefined) return;
    this.#put(entry.end());
    this.#put(dataDescriptor(entry.sums));
    this.#directory.add(directoryRecord(entry.named, entry.sums, entry.offset));
  }

  #put(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#write(bytes);
    this.#offset += bytes.length;
  }
}

/** Content on its way into the zip file: as it is, or deflated piece by piece. */
class EntryWriter {
  readonly named: NamedEntry;
  readonly offset: number;
  #crc = 0;
  #size = 0;
  #stored = 0;
  /** The last piece ends the deflated content, and which one is the last its successor tells. */
  #held: Uint8Array | undefined;

  constructor(named: NamedEntry, offset: number) {
    this.named = named;
    this.offset = offset;
  }

  get sums(): ContentSums {
    return { crc: this.#crc, size: this.#size, stored: this.#stored };
  }

  /** What goes into the file now. */
  add(bytes: Uint8Array): Uint8Array {
    this.#crc = crc32(bytes, this.#crc);
    this.#size += bytes.length;
    if (!this.named.isDeflated) return this.#counted(bytes);
    const before = this.#held;
    this.#held = new Uint8Array(bytes);
    return before === undefined ? empty : this.#counted(deflateRawSync(before, moreFollows));
  }

  end(): Uint8Array {
    return this.named.isDeflated ? this.#counted(deflateRawSync(this.#held ?? empty)) : empty;
  }

  #counted(bytes: Uint8Array): Uint8Array {
    this.#stored += bytes.length;
    return bytes;
  }
}

const empty = new Uint8Array();
/** What is deflated so ends at a byte, and the next piece stands behind it. */
const moreFollows = { finishFlush: constants.Z_SYNC_FLUSH };

/** Many small records, in few pieces of memory. */
class RecordList {
  readonly #blocks: Buffer[] = [];
  #recent: Buffer[] = [];
  #count = 0;

  add(record: Buffer): void {
    this.#recent.push(record);
    this.#count += 1;
    if (this.#recent.length === recordsOfBlock) this.#join();
  }

  all() {
    this.#join();
    const bytes = this.#blocks.reduce((sum, { length }) => sum + length, 0);
    return { count: this.#count, bytes, blocks: this.#blocks };
  }

  #join(): void {
    this.#blocks.push(Buffer.concat(this.#recent));
    this.#recent = [];
  }
}

const recordsOfBlock = 1_000;

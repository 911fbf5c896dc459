// A zip file from its beginning to its end, for any number of entries. It is written while its
// caller waits: not for a thread that serves others.

import { constants, crc32, deflateRawSync } from 'node:zlib';
import { limits } from '../limits.ts';
import {
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
    this.#entry = new EntryWriter(named, this.#offset, this.#put);
  }

  /** More of the content of the entry that was begun; the bytes may change afterwards. */
  add(bytes: Uint8Array): void {
    this.#entry?.add(bytes);
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
    if (this.#entry !== undefined) this.#directory.add(this.#entry.end());
  }

  readonly #put = (bytes: Uint8Array): void => {
    if (bytes.length === 0) return;
    this.#write(bytes);
    this.#offset += bytes.length;
  };
}

/** Content on its way into the zip file: as it is, or deflated piece by piece. */
class EntryWriter {
  readonly #name: Buffer;
  readonly #offset: number;
  readonly #put: (bytes: Uint8Array) => void;
  #isDeflated: boolean;
  #hasHeader = false;
  #crc = 0;
  #size = 0;
  #stored = 0;
  /** The last piece ends the deflated content, and which one is the last its successor tells. */
  #held: Uint8Array | undefined;

  constructor({ name, isDeflated }: NamedEntry, offset: number, put: (bytes: Uint8Array) => void) {
    this.#name = name;
    this.#isDeflated = isDeflated;
    this.#offset = offset;
    this.#put = put;
  }

  add(bytes: Uint8Array): void {
    this.#crc = crc32(bytes, this.#crc);
    this.#size += bytes.length;
    if (!this.#isDeflated) {
      this.#store(bytes);
      return;
    }
    if (this.#held !== undefined) this.#store(deflateRawSync(this.#held, moreFollows));
    this.#held = new Uint8Array(bytes);
  }

  /** Its record for the directory. */
  end(): Buffer {
    const held = this.#held ?? empty;
    // Without a header, nothing of it stands in the file yet.
    if (!this.#hasHeader && held.length < limits.zipDeflatedBytesMin) this.#isDeflated = false;
    this.#store(this.#isDeflated ? deflateRawSync(held) : held);
    const sums = { crc: this.#crc, size: this.#size, stored: this.#stored };
    this.#put(dataDescriptor(sums));
    return directoryRecord(this.#named, sums, this.#offset);
  }

  get #named(): NamedEntry {
    return { name: this.#name, isDeflated: this.#isDeflated };
  }

  #store(bytes: Uint8Array): void {
    if (!this.#hasHeader) this.#put(localHeader(this.#named));
    this.#hasHeader = true;
    this.#put(bytes);
    this.#stored += bytes.length;
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

// Puts many contents into a blob folder at once, from a thread that serves nobody else: files are
// written one after the other, and their syncs run together.

import { randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsync,
  futimesSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { syncFolders } from '../durable-folders.ts';
import { systemErrorCode } from '../errors.ts';
import { draftFolder, placesOf } from './blob-store.ts';
import type { HashedBytes } from './content-hash.ts';

/** Of one folder that `openBlobFolder` has made. */
export class BlobBatch {
  readonly #folder: string;
  /** Where what was written is to go, by where it is. */
  readonly #drafts = new Map<string, string>();
  readonly #open: number[] = [];
  /** In which something was put or found: what another process placed may not be durable yet. */
  readonly #changed = new Set<string>();
  /** Those whose entries are durable. */
  readonly #known = new Set<string>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Content that is not on the disk before `end`. `now`: from when on it counts as young. */
  add({ hash, bytes }: HashedBytes, now: number): void {
    const places = placesOf(this.#folder, hash);
    const [place = ''] = places;
    const first = places.find((path) => existsSync(path));
    const found = first !== undefined && isKept(first, bytes, now) ? first : undefined;
    this.#changed.add(dirname(found ?? place));
    if (found !== undefined) return;
    const draft = join(draftFolder(this.#folder), randomUUID());
    const descriptor = openSync(draft, 'wx', 0o600);
    this.#open.push(descriptor);
    this.#drafts.set(draft, place);
    writeFileSync(descriptor, bytes);
    futimesSync(descriptor, now / 1000, now / 1000);
  }

  /** All that was added is on the disk when this resolves. Where it throws, call `discard`. */
  async end(): Promise<void> {
    const syncs = await Promise.allSettled(this.#open.map((each) => promisify(fsync)(each)));
    this.#close();
    for (const sync of syncs) if (sync.status === 'rejected') throw sync.reason;
    const added = [...this.#changed].filter((folder) => !this.#known.has(folder));
    for (const folder of added) mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const [draft, place] of this.#drafts) renameSync(draft, place);
    await syncFolders(new Set([...this.#changed, ...added.map((folder) => dirname(folder))]));
    for (const folder of added) this.#known.add(folder);
    this.#drafts.clear();
    this.#changed.clear();
  }

  /** Forgets what was added; what has not come to its place is removed. */
  discard(): void {
    this.#close();
    for (const draft of this.#drafts.keys()) rmSync(draft, { force: true });
    this.#drafts.clear();
    this.#changed.clear();
  }

  #close(): void {
    for (const descriptor of this.#open.splice(0)) closeSync(descriptor);
  }
}

/** As a blob folder keeps what it knows: what is damaged is replaced. */
function isKept(path: string, bytes: Uint8Array, now: number): boolean {
  try {
    utimesSync(path, now / 1000, now / 1000);
    return statSync(path).size === bytes.length && readFileSync(path).equals(bytes);
  } catch (thrown) {
    // A sweep took it away meanwhile.
    if (systemErrorCode(thrown) === 'ENOENT') return false;
    throw thrown;
  }
}

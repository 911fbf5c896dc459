// Reads the annotation files of one zip file in a thread of its own, with a time limit for each.

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { AnnotatedImage, Labelmap } from '../../annotation-formats/annotation-file.ts';
import type { ReadClassList } from '../../annotation-formats/class-lists.ts';
import type { Matches } from '../../annotation-formats/match-annotations.ts';
import type { ReadAnnotation } from '../../annotation-formats/parse-annotation.ts';
import { baseName } from '../../annotation-formats/path-hints.ts';
import type { Clock } from '../../clock.ts';
import { FoveaError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { SerialQueue } from '../../serial-queue.ts';
import type { DiskReservations } from '../disk-reservations.ts';
import { fileProblemOf, type ImportSource, type SourceFile } from '../zip-import/import-source.ts';
import {
  type AnnotationThread,
  type FromAnnotationThread,
  type MatchQuestion,
  type OwnFile,
  type Refused,
  startAnnotationThread,
  type ToAnnotationThread,
} from './annotation-thread.ts';

/**
 * All methods give what is wrong with a file as a problem; they throw what is no fault of it, as
 * `read` of a source does for one that is too large.
 */
export interface ZipAnnotationReader {
  classList(
    entry: SourceFile,
    bytesMax: number,
  ): Promise<{ readonly list: ReadClassList } | Refused>;
  /** Keys of the images that a list of a split names. */
  namesOfSplit(
    entry: SourceFile,
    bytesMax: number,
  ): Promise<{ readonly names: readonly string[] } | Refused>;
  /** Paths of the images that a list names. */
  imagesOfList(
    entry: SourceFile,
    bytesMax: number,
  ): Promise<{ readonly images: readonly string[] } | Refused>;
  /** Reads a file about many images, and keeps what it says. */
  addDocument(entry: SourceFile, bytesMax: number): Promise<{ readonly bytes: number } | Refused>;
  /** Which annotation belongs to which image, of the documents that were added and other files. */
  pair(
    question: Omit<MatchQuestion, 'documents'>,
  ): Promise<{ readonly pairs: Matches<SourceFile> } | Refused>;
  own(entry: SourceFile, file: OwnRequest): Promise<{ readonly read: ReadAnnotation } | Refused>;
  /** The annotation of an image in a document that was added. */
  ofDocument(
    entry: SourceFile,
    name: string,
    image: AnnotatedImage,
  ): Promise<{ readonly read: ReadAnnotation } | Refused>;
  close(): void;
}

export interface OwnRequest extends Pick<OwnFile, 'image' | 'projectType'> {
  readonly labelmap: Labelmap | undefined;
  readonly bytesMax: number;
}

export interface ReaderOptions {
  readonly zip: Pick<ImportSource, 'read' | 'copy'>;
  /** A folder for files about many images: they stay on the disk. */
  readonly folder: string;
  readonly diskReservations: DiskReservations;
  /** Of the images of the archive. */
  readonly imagePaths: readonly string[];
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Milliseconds for one file, and for all; those of `limits` unless given. */
  readonly msMax?: number;
  readonly allMsMax?: number;
}

/** Its thread starts with the first question, and has to be closed. */
export function openZipAnnotationReader(options: ReaderOptions): ZipAnnotationReader {
  const reader = new Reader(options);
  const asked = <Kind extends 'class list' | 'split list' | 'image list'>(
    entry: SourceFile,
    bytesMax: number,
    kind: Kind,
  ) =>
    reader.inTurn(async () => {
      const { path } = entry;
      return expected(await reader.read(entry, bytesMax, (bytes) => ({ kind, path, bytes })), kind);
    });
  return {
    classList: (entry, bytesMax) => asked(entry, bytesMax, 'class list'),
    namesOfSplit: (entry, bytesMax) => asked(entry, bytesMax, 'split list'),
    imagesOfList: (entry, bytesMax) => asked(entry, bytesMax, 'image list'),
    addDocument: (entry, bytesMax) => reader.inTurn(() => reader.addDocument(entry, bytesMax)),
    pair: (question) =>
      reader.inTurn(async () => {
        const documents = await reader.loadAll();
        const given = await reader.ask({ kind: 'pair', toPair: { ...question, documents } });
        return expected(given, 'paired');
      }),
    own: (entry, { bytesMax, ...file }) =>
      reader.inTurn(async () => {
        const given = await reader.read(entry, bytesMax, (content) => ({
          kind: 'own',
          content,
          file: { ...file, fileName: baseName(entry.path), labelmap: reader.sent(file.labelmap) },
        }));
        return expected(given, 'annotation');
      }),
    ofDocument: (entry, name, image) =>
      reader.inTurn(async () => {
        const refused = await reader.load(entry);
        if (refused !== undefined) return refused;
        const { path } = entry;
        const given = await reader.ask({ kind: 'of document', path, name, image });
        return expected(given, 'annotation');
      }),
    close: () => reader.close(),
  };
}

function expected<Kind extends FromAnnotationThread['kind']>(
  given: FromAnnotationThread,
  kind: Kind,
): Extract<FromAnnotationThread, { kind: Kind }> | Refused {
  if (isKind(given, kind) || given.kind === 'refused') return given;
  throw new FoveaError('internal', 'The thread of a zip file gave no answer to its question.');
}

function isKind<Kind extends FromAnnotationThread['kind']>(
  given: FromAnnotationThread,
  kind: Kind,
): given is Extract<FromAnnotationThread, { kind: Kind }> {
  return given.kind === kind;
}

/** A document, and where its bytes are on the disk. */
interface Stored {
  readonly entry: SourceFile;
  readonly file: string;
}

/** One question at a time, so that the time of each is its own. */
class Reader {
  readonly #options: ReaderOptions;
  readonly #msMax: number;
  /** Documents that could be read, by their paths. */
  readonly #documents = new Map<string, Stored>();
  /** What the thread at hand has. */
  #loaded = new Set<string>();
  #labelmap: Labelmap | undefined;
  #thread: AnnotationThread | undefined;
  #copied = 0;
  #leftMs: number;
  #isClosed = false;
  readonly #queue = new SerialQueue();

  constructor(options: ReaderOptions) {
    this.#options = options;
    this.#msMax = options.msMax ?? limits.zipFileMsMax;
    this.#leftMs = options.allMsMax ?? limits.zipTextMsMax;
  }

  inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#queue.run(work);
  }

  async ask(
    message: ToAnnotationThread,
    { transfer = [], ms = this.#msMax }: { transfer?: ArrayBuffer[]; ms?: number } = {},
  ): Promise<FromAnnotationThread> {
    const { imagePaths, signal, clock } = this.#options;
    if (this.#leftMs <= 0) return refused('was not read: the files before it took too long');
    if (this.#isClosed) throw new FoveaError('cancelled', 'The zip file is not read any more.');
    this.#thread ??= await startAnnotationThread({ imagePaths }, signal);
    const since = clock.monotonic();
    const msMax = Math.min(ms, this.#leftMs);
    const given = await this.#thread.ask(message, { msMax, signal, transfer });
    // Timers may end a little early by this clock.
    this.#leftMs -= given === 'too slow' ? msMax : clock.monotonic() - since;
    if (typeof given !== 'string') return given;
    this.#drop();
    return refused(given === 'too slow' ? 'takes too long to be read' : 'needs too much memory');
  }

  async read(
    entry: SourceFile,
    bytesMax: number,
    messageOf: (bytes: Uint8Array<ArrayBuffer>) => ToAnnotationThread,
  ): Promise<FromAnnotationThread> {
    const read = await this.#bytes(entry, bytesMax);
    if ('problem' in read) return read;
    return this.ask(messageOf(read.bytes), { transfer: [read.bytes.buffer] });
  }

  async addDocument(
    entry: SourceFile,
    bytesMax: number,
  ): Promise<{ readonly bytes: number } | Refused> {
    const { folder } = this.#options;
    const file = join(folder, `${this.#copied}.json`);
    this.#copied += 1;
    const copied = await this.#copy(entry, file, bytesMax);
    if ('problem' in copied) return copied;
    const problem = await this.#load({ entry, file });
    if (problem === undefined) this.#documents.set(entry.path, { entry, file });
    else await rm(file, { force: true });
    return problem ?? copied;
  }

  /** Into a thread that took the place of one that had it. */
  async load(entry: SourceFile): Promise<Refused | undefined> {
    if (this.#loaded.has(entry.path)) return undefined;
    const stored = this.#documents.get(entry.path);
    if (stored === undefined) return refused('takes too long to be read');
    const problem = await this.#load(stored);
    if (problem !== undefined) this.#documents.delete(entry.path);
    return problem;
  }

  async loadAll(): Promise<readonly SourceFile[]> {
    const all = [...this.#documents.values()].map(({ entry }) => entry);
    for (const entry of all) await this.load(entry);
    return all.filter(({ path }) => this.#loaded.has(path));
  }

  sent(labelmap: Labelmap | undefined): OwnFile['labelmap'] {
    if (labelmap !== undefined && labelmap === this.#labelmap) return 'same';
    this.#labelmap = labelmap ?? this.#labelmap;
    return labelmap;
  }

  /** Questions that still wait fail, and start no new thread. */
  close(): void {
    this.#isClosed = true;
    this.#drop();
  }

  #drop(): void {
    void this.#thread?.terminate();
    this.#thread = undefined;
    this.#loaded = new Set();
    this.#labelmap = undefined;
  }

  async #load({ entry: { path }, file }: Stored): Promise<Refused | undefined> {
    const ms = Math.max(this.#msMax, limits.datasetMsMax);
    const given = expected(await this.ask({ kind: 'document', path, file }, { ms }), 'document');
    if (given.kind === 'refused') return given;
    this.#loaded.add(path);
    return undefined;
  }

  /** Its room on the disk is asked for as for files that come in. */
  async #copy(
    entry: SourceFile,
    file: string,
    bytesMax: number,
  ): Promise<{ readonly bytes: number } | Refused> {
    const { zip, diskReservations } = this.#options;
    const reservation = await diskReservations.reserve(Math.min(entry.statedBytes, bytesMax));
    try {
      const options = { bytesMax, isText: true, wrote: reservation.wrote };
      return { bytes: await zip.copy(entry, file, options) };
    } catch (thrown) {
      await rm(file, { force: true });
      return refused(fileProblemOf(thrown));
    } finally {
      reservation.release();
    }
  }

  /** In memory of their own, which can move to the thread. */
  async #bytes(
    entry: SourceFile,
    bytesMax: number,
  ): Promise<{ readonly bytes: Uint8Array<ArrayBuffer> } | Refused> {
    try {
      const read = await this.#options.zip.read(entry, { bytesMax, isText: true });
      return { bytes: new Uint8Array(read) };
    } catch (thrown) {
      return refused(fileProblemOf(thrown));
    }
  }
}

function refused(problem: string): Refused {
  return { kind: 'refused', problem, isMisread: false };
}

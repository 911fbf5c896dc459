// What images are imported from: a zip file, or the objects below a prefix. The bytes that come out
// are counted, whatever was stated.

import { open } from 'node:fs/promises';
import { imageFileExtensions } from '../../annotation-formats/image-file-extensions.ts';
import { extensionOf } from '../../annotation-formats/path-hints.ts';
import { FoveaError } from '../../errors.ts';
import { onDisk } from '../../storage/disk-errors.ts';
import { faultOf } from '../images/file-fault.ts';
import { isHidden, isNoise } from './decode-entry-name.ts';

/** A file that may be read. */
export interface SourceFile {
  /** With slashes, unique whatever the case of its letters. */
  readonly path: string;
  /** What its source says; the truth is what comes out. */
  readonly statedBytes: number;
}

export interface RefusedEntry {
  /** For people; not to be used as a path. */
  readonly shownPath: string;
  readonly problem: string;
}

export interface ReadEntryOptions {
  readonly bytesMax: number;
  /** Text is taken apart, which takes far longer than unpacking it: all of it has its own bound. */
  readonly isText?: boolean;
  /** Looks at the first bytes that come out, and throws where they are not what was expected. */
  readonly checkStart?: (start: Uint8Array) => void;
}

export interface CopyEntryOptions extends ReadEntryOptions {
  /** Told of each piece before it is written; may throw. */
  readonly wrote: (bytes: number) => Promise<void>;
}

export interface ImportSource {
  /** In their order. What systems add by themselves is left out, and hidden files but images. */
  readonly entries: readonly SourceFile[];
  readonly refused: readonly RefusedEntry[];
  /**
   * The bytes of a file. Throws `too_large` beyond `bytesMax`, `invalid_input` for content that is
   * damaged, what `checkStart` throws, and `SourceTooLarge` when all files together become too many
   * bytes: nothing more may be read then.
   */
  read(entry: SourceFile, options: ReadEntryOptions): Promise<Buffer>;
  /** The same to a new file on the disk, piece by piece; says how many bytes it has. */
  copy(entry: SourceFile, path: string, options: CopyEntryOptions): Promise<number>;
}

export type TakePiece = (piece: Uint8Array) => Promise<void>;

export interface SourceParts<File extends SourceFile> {
  readonly entries: readonly File[];
  readonly refused: readonly RefusedEntry[];
  /** As in "The files of ... expand to more than". */
  readonly name: string;
  /** Of all files together, and of those that are text. */
  readonly bytesMax: number;
  readonly textBytesMax: number;
  /** Gives the bytes of a file piece by piece. Throws as `take` does. */
  readonly give: (entry: File, take: TakePiece) => Promise<void>;
}

/** A source whose bytes are bounded. */
export function boundedSource<File extends SourceFile>(parts: SourceParts<File>): ImportSource {
  const { entries, refused, name } = parts;
  const byPath = new Map(entries.map((entry) => [entry.path, entry]));
  const spend = budget(`The files of ${name}`, parts.bytesMax);
  const spendText = budget(`The annotation files of ${name}`, parts.textBytesMax);
  const give = async (
    path: string,
    options: ReadEntryOptions,
    take: (piece: Uint8Array) => Promise<void> | void,
  ) => {
    const entry = byPath.get(path);
    if (entry === undefined) throw new FoveaError('internal', 'A file was not in its source.');
    let bytes = 0;
    await parts.give(entry, async (piece) => {
      spend(piece.length);
      if (options.isText) spendText(piece.length);
      if (bytes === 0) options.checkStart?.(piece);
      bytes += piece.length;
      if (bytes > options.bytesMax) throw tooLarge(options.bytesMax);
      await take(piece);
    });
    return bytes;
  };
  return {
    entries: entries.map(({ path, statedBytes }) => ({ path, statedBytes })),
    refused,
    read: async ({ path }, options) => {
      const pieces: Uint8Array[] = [];
      await give(path, options, (piece) => {
        pieces.push(piece);
      });
      return Buffer.concat(pieces);
    },
    copy: async (entry, path, options) => {
      const file = await open(path, 'wx', 0o600);
      try {
        return await give(entry.path, options, async (piece) => {
          await options.wrote(piece.length);
          await onDisk(file.writeFile(piece));
        });
      } finally {
        await file.close();
      }
    },
  };
}

/** All files together have more bytes than are read. */
class SourceTooLarge extends FoveaError {
  constructor(what: string, bytesMax: number) {
    super('too_large', `${what} expand to more than ${bytesMax} bytes.`);
  }
}

function budget(what: string, bytesMax: number): (bytes: number) => void {
  let left = bytesMax;
  return (bytes) => {
    left -= bytes;
    if (left < 0) throw new SourceTooLarge(what, bytesMax);
  };
}

function tooLarge(bytesMax: number): FoveaError {
  return new FoveaError('too_large', `has more than ${bytesMax} bytes`);
}

/** A file as its source names it. */
export interface NamedFile<Place> {
  /** Undefined where its name cannot be used. */
  readonly path: string | undefined;
  readonly shownPath: string;
  readonly problem: string | undefined;
  readonly entry: Place;
}

/** Those that may be read, and the others. `noun`: what they are in, as in "of the archive". */
export function sortEntries<Place extends object>(
  listed: readonly NamedFile<Place>[],
  noun: string,
): { entries: (Place & { readonly path: string })[]; refused: RefusedEntry[] } {
  const entries: (Place & { readonly path: string })[] = [];
  const refused: RefusedEntry[] = [];
  const known = new Set<string>();
  for (const { path, shownPath, problem, entry } of listed) {
    if (path !== undefined && isNoise(path)) continue;
    if (path !== undefined && isHidden(path)) {
      if (isImageName(path)) refused.push({ shownPath, problem: hidden });
      continue;
    }
    if (path === undefined || problem !== undefined) {
      refused.push({ shownPath, problem: problem ?? 'it has no name' });
      continue;
    }
    const folded = path.toLowerCase();
    if (known.has(folded)) {
      refused.push({ shownPath, problem: `another file of the ${noun} has the same name` });
    } else entries.push({ path, ...entry });
    known.add(folded);
  }
  return { entries, refused };
}

const hidden = 'a name that begins with a dot is of a hidden file: it is not taken';

function isImageName(path: string): boolean {
  return imageFileExtensions.has(extensionOf(path));
}

/** Why a file cannot be used; throws what is an error of the service. */
export function fileProblemOf(thrown: unknown): string {
  const problem = thrown instanceof SourceTooLarge ? undefined : faultOf(thrown);
  if (problem === undefined) throw thrown;
  return problem;
}

// A JSON file of any size in pieces: the elements of its lists, one after the other. What is in
// memory is one piece, and not the file.

import { closeSync, openSync, readSync } from 'node:fs';
import { limits } from '../limits.ts';

/** A file that cannot be read, in our words: they follow its name. */
export class DatasetProblem extends Error {
  readonly problem: string;

  constructor(problem: string) {
    super(problem);
    this.problem = problem;
  }
}

/** A file that is read from any place. Throws the errors of node:fs. */
export class PieceFile {
  readonly #file: number;

  constructor(path: string) {
    this.#file = openSync(path, 'r');
  }

  /** Fewer bytes at the end of the file. */
  read(start: number, bytes: number): Uint8Array<ArrayBuffer> {
    const target = new Uint8Array(bytes);
    let done = 0;
    while (done < bytes) {
      const read = readSync(this.#file, target, done, bytes - done, start + done);
      if (read === 0) break;
      done += read;
    }
    return done === bytes ? target : target.subarray(0, done);
  }

  close(): void {
    closeSync(this.#file);
  }
}

export interface Piece {
  /** The member of the outermost object that the list is; empty where the list is outermost. */
  readonly list: string;
  /** Place in the list, from 0. */
  readonly place: number;
  /** Where it stands in the file. */
  readonly start: number;
  readonly bytes: number;
  readonly value: unknown;
}

/**
 * Gives each element of an outermost list, or of these members of an outermost object; says which
 * of the lists are there. Throws DatasetProblem for a file that is no JSON or too deep, and for a
 * piece that is too large, and what `take` throws.
 */
export function readPieces(
  file: PieceFile,
  lists: readonly string[],
  take: (piece: Piece) => void,
): ReadonlySet<string> {
  const scanner = new Scanner(file, new Set(lists), take);
  for (let start = 0; ; ) {
    const chunk = file.read(start, limits.datasetReadBytes);
    if (chunk.length === 0) return scanner.end();
    scanner.scan(chunk, start);
    start += chunk.length;
  }
}

/** The value of a text. Throws DatasetProblem. */
function parsePiece(bytes: Uint8Array, name: string): unknown {
  const text = decodePiece(bytes, name);
  try {
    return JSON.parse(text);
  } catch {
    throw new DatasetProblem(`${name}: is not valid JSON`);
  }
}

export function decodePiece(bytes: Uint8Array, name: string): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new DatasetProblem(`${name}: is no UTF-8 text`);
  }
}

/** `images[3]`. */
export function pieceName({ list, place }: Pick<Piece, 'list' | 'place'>): string {
  return `${list}[${place}]`;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

const quote = 0x22;
const backslash = 0x5c;

const [quotes, opensArray, opensObject, closes, separates] = [1, 2, 3, 4, 5];
const effects = new Uint8Array(256);
for (const [letters, effect] of [
  ['"', quotes],
  ['[', opensArray],
  ['{', opensObject],
  [']}', closes],
  [',', separates],
] as const) {
  for (const byte of Buffer.from(letters)) effects[byte] = effect;
}

/** Blank, and the mark that some tools begin a text with. */
const outside = new Set(Buffer.from(' \t\r\n\uFEFF'));

class Scanner {
  readonly #file: PieceFile;
  readonly #lists: ReadonlySet<string>;
  readonly #take: (piece: Piece) => void;
  readonly #found = new Set<string>();
  /** What opened each level. */
  readonly #opened: number[] = [];
  #hasRoot = false;
  #isInString = false;
  #isEscaped = false;
  /** A string at the first level of an object is the name of a member. */
  #isKeyNext = false;
  #keyStart = -1;
  #key = '';
  /** The list whose elements are pieces, and its level; 0: none is open. */
  #list = '';
  #level = 0;
  #place = 0;
  #start = 0;
  /** What is being read. */
  #chunk = new Uint8Array();
  #base = 0;

  constructor(file: PieceFile, lists: ReadonlySet<string>, take: (piece: Piece) => void) {
    this.#file = file;
    this.#lists = lists;
    this.#take = take;
  }

  scan(chunk: Uint8Array<ArrayBuffer>, base: number): void {
    [this.#chunk, this.#base] = [chunk, base];
    for (let index = 0; index < chunk.length; index += 1) {
      if (this.#isInString) index = this.#skipString(chunk, index);
      // Nearly all of a file are the digits of outlines.
      else if (this.#opened.length > 0) while (effects[chunk[index] ?? quote] === 0) index += 1;
      if (index < chunk.length) this.#see(chunk[index] ?? 0, base + index);
    }
  }

  /** The index of the next byte that is worth a look. */
  #skipString(chunk: Uint8Array, from: number): number {
    let index = from;
    for (; index < chunk.length; index += 1) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (chunk[index] === backslash) this.#isEscaped = true;
      else if (chunk[index] === quote) return index;
    }
    return index;
  }

  #see(byte: number, at: number): void {
    const effect = effects[byte] ?? 0;
    if (this.#isInString) this.#endString(at);
    else if (this.#opened.length === 0) {
      if (!outside.has(byte)) this.#open(effect, at);
    } else if (effect === quotes) this.#beginString(at);
    else if (effect === closes) this.#close(byte, at);
    else if (effect === separates) this.#separate(at);
    else if (effect !== 0) this.#open(effect, at);
  }

  end(): ReadonlySet<string> {
    if (!this.#hasRoot || this.#opened.length > 0) {
      throw new DatasetProblem('is JSON that ends too early');
    }
    return this.#found;
  }

  #beginString(at: number): void {
    this.#isInString = true;
    if (!this.#isKeyNext || this.#opened.length !== 1) return;
    this.#keyStart = at;
    this.#isKeyNext = false;
  }

  #endString(at: number): void {
    this.#isInString = false;
    if (this.#keyStart < 0) return;
    const bytes = at + 1 - this.#keyStart;
    // No list has a longer name.
    this.#key =
      bytes > keyBytesMax ? '' : String(parsePiece(this.#bytes(this.#keyStart, bytes), 'a member'));
    this.#keyStart = -1;
  }

  #open(effect: number, at: number): void {
    if (effect !== opensArray && effect !== opensObject) throw new DatasetProblem(notJson);
    if (this.#opened.length === 0 && this.#hasRoot) throw new DatasetProblem(notJson);
    this.#hasRoot = true;
    this.#opened.push(effect);
    const depth = this.#opened.length;
    if (depth > limits.annotationDepthMax) {
      throw new DatasetProblem(`is nested deeper than ${limits.annotationDepthMax} levels`);
    }
    if (depth === 1 && effect === opensObject) this.#isKeyNext = true;
    const isList =
      effect === opensArray &&
      (depth === 1 ||
        (depth === 2 && this.#opened[0] === opensObject && this.#lists.has(this.#key)));
    if (isList) this.#beginList(depth, at);
  }

  #beginList(depth: number, at: number): void {
    const name = depth === 1 ? '' : this.#key;
    if (this.#found.has(name)) throw new DatasetProblem(`has two members ${name}`);
    this.#found.add(name);
    [this.#list, this.#level, this.#place, this.#start] = [name, depth, 0, at + 1];
  }

  #separate(at: number): void {
    const depth = this.#opened.length;
    if (depth === 1 && this.#opened[0] === opensObject) [this.#isKeyNext, this.#key] = [true, ''];
    if (this.#level > 0 && depth === this.#level) this.#give(at, false);
  }

  #close(byte: number, at: number): void {
    const depth = this.#opened.length;
    if (this.#opened.pop() !== (byte === closeBracket ? opensArray : opensObject)) {
      throw new DatasetProblem(notJson);
    }
    if (this.#level === 0 || depth !== this.#level) return;
    this.#give(at, this.#place === 0);
    this.#level = 0;
  }

  #give(end: number, mayBeBlank: boolean): void {
    const [start, bytes] = [this.#start, end - this.#start];
    const piece = { list: this.#list, place: this.#place, start, bytes };
    const name = pieceName(piece);
    if (bytes > limits.datasetPieceBytesMax) {
      throw new DatasetProblem(`${name}: has more than ${limits.datasetPieceBytesMax} bytes`);
    }
    const content = this.#bytes(start, bytes);
    this.#start = end + 1;
    if (mayBeBlank && content.every((byte) => outside.has(byte))) return;
    this.#place += 1;
    this.#take({ ...piece, value: parsePiece(content, name) });
  }

  /** Mostly they are at hand; else they began in what was read before. */
  #bytes(start: number, bytes: number): Uint8Array {
    const from = start - this.#base;
    return from >= 0 ? this.#chunk.subarray(from, from + bytes) : this.#file.read(start, bytes);
  }
}

const closeBracket = 0x5d;
const keyBytesMax = 100;
const notJson = 'is not valid JSON';

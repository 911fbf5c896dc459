// Reads lines of stdin. They wait while whoever reads them is paused, or makes way for the next.

import { EventEmitter } from 'node:events';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { limits } from '../../limits.ts';
import type { Log } from '../../log.ts';
import { type Id, requestIdAtEnd, requestIdIn } from './request-id.ts';

/** A line of which almost nothing was kept. */
export class TooLongLine {
  readonly bytes: number;
  /** That of its request, where it stands near the beginning or at the end. */
  readonly id: Id | undefined;

  constructor(bytes: number, id: Id | undefined) {
    this.bytes = bytes;
    this.id = id;
  }
}

export type Line = Buffer | TooLongLine;

export interface LineReader {
  onLine(line: Line): void;
  /** Resolves when all messages are answered, or their time is up. */
  settled(): Promise<void>;
}

/**
 * Paused at first. After stdin has ended: `end`, once all lines were taken and are settled; then
 * `close`. Where it stays paused, `close` comes alone, after `stdinGraceMs`. No stream: those cost
 * a call more than all that is done with its line.
 */
export class LineInput extends EventEmitter<{ end: []; close: [] }> {
  readonly #stdin: Readable;
  readonly #cut: (chunk: Buffer) => void;
  #reader: LineReader | undefined;
  /** Settles when the next reader is there. */
  #next: PromiseWithResolvers<void> | undefined;
  /** What a reader left to the next one. */
  readonly #left: Line[] = [];
  /** What came while paused. The end of stdin is seen meanwhile, as long as there is room. */
  readonly #held: Buffer[] = [];
  #heldBytes = 0;
  #isPaused = true;
  #isOver = false;
  #whenAllTaken: (() => void) | undefined;

  constructor(stdin: Readable, log: Log) {
    super();
    this.#stdin = stdin;
    this.#cut = createSplitter(log, (line) => this.#reader?.onLine(line));
    stdin.on('data', (chunk: Buffer) => this.#take(chunk));
    for (const name of ['end', 'close', 'error']) stdin.on(name, () => void this.#finish());
  }

  /** Lines go to `reader` from the next `resume` on, first those that were left to it. */
  serve(reader: LineReader): void {
    this.#reader = reader;
    this.#next?.resolve();
  }

  /** Pauses until there is another reader, who gets `lines` first; the end of stdin waits too. */
  makeWay(lines: readonly Line[]): void {
    this.#next ??= Promise.withResolvers<void>();
    this.#left.push(...lines);
    this.pause();
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    while (!this.#isPaused) {
      const line = this.#left.shift();
      if (line === undefined) break;
      this.#reader?.onLine(line);
    }
    while (!this.#isPaused) {
      const chunk = this.#held.shift();
      if (chunk === undefined) break;
      this.#heldBytes -= chunk.length;
      this.#cut(chunk);
    }
    if (this.#waits()) return;
    this.#whenAllTaken?.();
    if (this.#stdin.isPaused()) this.#stdin.resume();
  }

  #take(chunk: Buffer): void {
    if (!this.#isPaused) {
      this.#cut(chunk);
      return;
    }
    this.#held.push(chunk);
    this.#heldBytes += chunk.length;
    if (this.#heldBytes >= limits.rpcLineBytesMax) this.#stdin.pause();
  }

  async #finish(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    await this.#next?.promise;
    if (this.#waits()) await this.#allTaken();
    if (!this.#waits()) {
      await this.#reader?.settled();
      this.emit('end');
    }
    this.emit('close');
  }

  #waits(): boolean {
    return this.#left.length > 0 || this.#held.length > 0;
  }

  async #allTaken(): Promise<void> {
    const taken = new Promise<void>((resolve) => {
      this.#whenAllTaken = resolve;
    });
    await Promise.race([taken, delay(limits.stdinGraceMs, undefined, { ref: false })]);
  }
}

/** Cuts chunks into lines. Of one that is too long its two ends alone are kept in memory. */
function createSplitter(log: Log, onLine: (line: Line) => void): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let bytes = 0;
  let ends: LineEnds | undefined;
  const add = (part: Buffer) => {
    bytes += part.length;
    if (ends !== undefined) ends.add(part);
    else if (part.length > 0) parts.push(part);
    if (ends !== undefined || bytes <= limits.rpcLineBytesMax) return;
    ends = new LineEnds(parts);
    parts = [];
  };
  const end = () => {
    const [first] = parts;
    const line = parts.length === 1 && first !== undefined ? first : Buffer.concat(parts);
    if (ends !== undefined) {
      log.error('A line on stdin is too long and was left out.', { bytes });
      onLine(new TooLongLine(bytes, ends.requestId()));
    } else if (line.length > 0) onLine(line);
    parts = [];
    bytes = 0;
    ends = undefined;
  };
  return (chunk) => {
    let from = 0;
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
      add(chunk.subarray(from, at));
      end();
      from = at + 1;
    }
    if (from < chunk.length) add(chunk.subarray(from));
  };
}

/** The beginning and the end of a line. */
class LineEnds {
  readonly #head: Buffer;
  #tail: Buffer;

  constructor(parts: readonly Buffer[]) {
    const begun = Buffer.concat(parts);
    // Copies: a part of it would hold all of it.
    this.#head = Buffer.from(begun.subarray(0, limits.longLineEndBytes));
    this.#tail = Buffer.from(begun.subarray(-limits.longLineEndBytes));
  }

  add(part: Buffer): void {
    const all = Buffer.concat([this.#tail, part.subarray(-limits.longLineEndBytes)]);
    this.#tail = Buffer.from(all.subarray(-limits.longLineEndBytes));
  }

  requestId(): Id | undefined {
    return requestIdIn(this.#head.toString('utf8')) ?? requestIdAtEnd(this.#tail.toString('utf8'));
  }
}

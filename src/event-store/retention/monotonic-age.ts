// The clock rule: a jump of the clock suspends removal by age, for as long as it skipped.

import { join } from 'node:path';
import type { Clock } from '../../clock.ts';
import { membersOf } from '../../json-object.ts';
import { limits } from '../../limits.ts';
import { readJsonObject, replaceJsonFile } from './json-file.ts';

/** A forward jump of the wall clock, in milliseconds since 1970: this time did not really pass. */
export interface ClockJump {
  readonly from: number;
  readonly to: number;
}

/** Kept on disk between processes. */
export interface ClockHistory {
  /** Wall time of the last reading. */
  readonly seenAt: number;
  /** Sorted by their ends. */
  readonly jumps: readonly ClockJump[];
}

/**
 * See decisions/event-store-cleanup.md. A jump is time that the store did not live through: the
 * wall clock went further than the monotonic one, or no process ran for more than a day. A clock
 * that is set back takes back what it had jumped.
 */
export class MonotonicAge {
  readonly #clock: Clock;
  /** Sorted by their ends, none of which is later than the last reading. */
  #jumps: readonly ClockJump[];
  #seenAt: number;
  #seenMonotonic: number;

  /** `before`: the history that the last process left, or only a time when the store ran. */
  constructor(clock: Clock, before: ClockHistory | undefined) {
    this.#clock = clock;
    this.#seenAt = clock.now();
    this.#seenMonotonic = clock.monotonic();
    this.#jumps = before ? cutOffAt(before.jumps, Math.min(before.seenAt, this.#seenAt)) : [];
    if (before && this.#seenAt - before.seenAt > limits.storeAbsenceMsMax) {
      this.#add({ from: before.seenAt, to: this.#seenAt });
    }
  }

  /** Returns by how many milliseconds the wall clock jumped since the last reading. */
  readClocks(): number {
    const now = this.#clock.now();
    const monotonic = this.#clock.monotonic();
    const jump = now - this.#seenAt - (monotonic - this.#seenMonotonic);
    const isJump = jump > limits.clockJumpMsMin;
    this.#jumps = cutOffAt(this.#jumps, now);
    if (isJump) this.#add({ from: this.#seenAt, to: this.#seenAt + jump });
    this.#seenAt = now;
    this.#seenMonotonic = monotonic;
    return isJump ? jump : 0;
  }

  /** The wall time, in milliseconds since 1970, of things of that age. */
  olderThan(ageMs: number): number {
    this.readClocks();
    let end = this.#seenAt;
    let left = ageMs;
    for (const { from, to } of this.#jumps.toReversed()) {
      // Jumps that come from a file may overlap.
      const elapsed = Math.max(0, end - to);
      if (elapsed >= left) break;
      left -= elapsed;
      end = Math.min(from, end);
    }
    return end - left;
  }

  /** Milliseconds that the clock skipped within that age. */
  jumpedWithin(ageMs: number): number {
    const byWallClock = this.#clock.now() - ageMs;
    return Math.max(0, byWallClock - this.olderThan(ageMs));
  }

  /** Forgets jumps that only matter to ages above this one. */
  forget(ageMs: number): void {
    const before = this.olderThan(ageMs);
    this.#jumps = this.#jumps.filter(({ to }) => to >= before);
  }

  /** For the next process. */
  get history(): ClockHistory {
    return { seenAt: this.#seenAt, jumps: this.#jumps };
  }

  /** At the maximum it joins the two oldest jumps, which makes events younger. */
  #add(jump: ClockJump): void {
    const [first, second, ...rest] = [...this.#jumps, jump];
    this.#jumps =
      first && second && rest.length >= limits.clockJumpsMax
        ? [{ from: first.from, to: second.to }, ...rest]
        : [...this.#jumps, jump];
  }
}

/** The jumps without what lies after that time: the clock was set back to it. */
function cutOffAt(jumps: readonly ClockJump[], now: number): readonly ClockJump[] {
  return jumps
    .filter(({ from }) => from < now)
    .map(({ from, to }) => ({ from, to: Math.min(to, now) }));
}

/** Undefined when the file is missing or damaged. */
export async function readClockHistory(data: string): Promise<ClockHistory | undefined> {
  try {
    return historyOf(await readJsonObject(historyPath(data)));
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return undefined;
    throw thrown;
  }
}

/** The file is on the disk when this resolves. It keeps the jumps under the name `leaps`. */
export async function writeClockHistory(data: string, history: ClockHistory): Promise<void> {
  const { seenAt, jumps: leaps } = history;
  await replaceJsonFile(historyPath(data), { seenAt, leaps });
}

function historyPath(data: string): string {
  return join(data, 'clock.json');
}

function historyOf(value: unknown): ClockHistory | undefined {
  const { seenAt, leaps } = membersOf(value);
  if (typeof seenAt !== 'number' || !Array.isArray(leaps)) return undefined;
  const read = leaps.map(jumpOf);
  if (read.includes(undefined)) return undefined;
  const known = read.filter((jump) => jump !== undefined);
  return { seenAt, jumps: known.sort((first, second) => first.to - second.to) };
}

function jumpOf(value: unknown): ClockJump | undefined {
  const { from, to } = membersOf(value);
  return typeof from === 'number' && typeof to === 'number' ? { from, to } : undefined;
}

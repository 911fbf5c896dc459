// Scans events that may match a query, one by one in its order: some milliseconds at a time, and so
// many at most.

import { FoveaError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { Database, Row } from '../../storage/database.ts';
import { yieldToEventLoop } from '../../storage/yield-to-event-loop.ts';
import type { UsableIndex } from '../index/event-index.ts';
import { allCandidates } from './candidates-in-order.ts';
import { type FilteredEvent, looksInside, matches, matchesInside } from './matching.ts';
import type { Arrival, EventQuery } from './store.ts';
import { charactersOf, eventsAt, readFiltered, readInside } from './stored-event.ts';

/** What is made of the events that match. */
export interface EventSink {
  /** So many more, and it is known where it ends. */
  readonly missing: number;
  /** False: it is full, and this event is not in it. */
  take(row: Row, filtered: FilteredEvent): boolean;
}

export interface ScanResult {
  /** The first event that was not taken, or not looked at; undefined: there is none. */
  readonly next: Arrival | undefined;
  readonly scanned: number;
  /** Whether it ended because so many were looked at. */
  readonly isCutOff: boolean;
}

/** What a scan reads. */
export interface Events {
  readonly database: Database;
  readonly index: UsableIndex | undefined;
}

/** Lets others work when it takes long. Throws `cancelled` when nobody waits for it any more. */
export async function scanEvents(
  { database, index }: Events,
  query: EventQuery,
  sink: EventSink,
  signal: AbortSignal | undefined,
): Promise<ScanResult> {
  const scan = new Scan(database, query, sink, signal);
  let steps = 0;
  for (const { arrivals, others: passed, reached } of allCandidates(database, index, query)) {
    await scan.at(arrivals);
    if (scan.next === undefined && reached !== undefined) scan.pass(passed, reached);
    if (scan.next !== undefined) break;
    steps += 1 + arrivals.length + passed;
    if (steps < stepsAtOnceMax) continue;
    steps = 0;
    await letOthersWork(signal);
  }
  const { next, scanned, isCutOff } = scan;
  return { next, scanned, isCutOff };
}

async function letOthersWork(signal: AbortSignal | undefined): Promise<void> {
  await yieldToEventLoop();
  if (signal?.aborted) throw new FoveaError('cancelled', 'The client went away.');
}

class Scan {
  next: Arrival | undefined;
  scanned = 0;
  isCutOff = false;
  readonly #database: Database;
  readonly #query: EventQuery;
  readonly #sink: EventSink;
  readonly #signal: AbortSignal | undefined;
  readonly #looksInside: boolean;
  #characters = 0;

  constructor(
    database: Database,
    query: EventQuery,
    sink: EventSink,
    signal: AbortSignal | undefined,
  ) {
    this.#database = database;
    this.#query = query;
    this.#sink = sink;
    this.#signal = signal;
    this.#looksInside = looksInside(query);
  }

  /** Until there is an event that is not taken. */
  async at(arrivals: readonly Arrival[]): Promise<void> {
    for (let start = 0; start < arrivals.length && this.next === undefined; ) {
      if (start > 0 || this.#looksInside) await letOthersWork(this.#signal);
      const atOnce = Math.min(Math.max(eventsAtOnceMin, this.#wanted), eventsAtOnceMax);
      start += this.#read(arrivals.slice(start, start + atOnce));
    }
  }

  /** So many others do not match, until an event that was looked at: maybe that is enough. */
  pass(others: number, reached: Arrival): void {
    this.scanned += others;
    if (others === 0 || !this.#isEnough()) return;
    this.next = eventBehind(this.#database, this.#query, reached);
    this.isCutOff = this.next !== undefined;
  }

  /** How many to look at next: more of them where few match. */
  get #wanted(): number {
    const { missing } = this.#sink;
    return this.#looksInside ? Math.max(missing, Math.min(this.scanned, eventsAtOnceMax)) : missing;
  }

  /** How many of these events it came to: it ends early after much text. */
  #read(arrivals: readonly Arrival[]): number {
    const charactersMax = this.#looksInside ? charactersInsideMax : charactersAtOnceMax;
    let characters = 0;
    let last: Arrival | undefined;
    this.#database.each(eventsAt, [JSON.stringify(arrivals)], (row) => {
      characters += charactersOf(row);
      const isLast = !this.#see(row) || characters > charactersMax;
      if (isLast) last = row.integer('arrival');
      return !isLast;
    });
    return last === undefined ? arrivals.length : arrivals.indexOf(last) + 1;
  }

  /** False: it is not looked at, or not taken. */
  #see(row: Row): boolean {
    const filtered = readFiltered(row);
    if (this.#isEnough()) this.isCutOff = true;
    else {
      this.scanned += 1;
      this.#characters += charactersOf(row);
      if (!this.#isMatch(row, filtered) || this.#sink.take(row, filtered)) return true;
    }
    this.next = filtered.arrival;
    return false;
  }

  #isEnough(): boolean {
    return (
      this.scanned >= limits.eventsLookedAtMax ||
      this.#characters >= limits.eventsLookedAtCharactersMax
    );
  }

  #isMatch(row: Row, filtered: FilteredEvent): boolean {
    if (!matches(filtered, this.#query)) return false;
    return !this.#looksInside || matchesInside(readInside(row), this.#query);
  }
}

function eventBehind(
  database: Database,
  { order, from = 0, until = Number.MAX_SAFE_INTEGER }: EventQuery,
  reached: Arrival,
): Arrival | undefined {
  const isNewestFirst = order === 'newest_first';
  const sql = `SELECT arrival FROM events WHERE arrival BETWEEN ? AND ?
    ORDER BY arrival ${isNewestFirst ? 'DESC' : 'ASC'} LIMIT 1`;
  const bounds = isNewestFirst ? [from, reached - 1] : [reached + 1, until];
  return database.get(sql, bounds, (row) => row.integer('arrival'));
}

/** Fewer take as long as these. */
const eventsAtOnceMin = 16;

/** Some milliseconds, and likewise so much text. */
const eventsAtOnceMax = 250;
const charactersAtOnceMax = 1024 * 1024;

/** Each of its detections is compared too. */
const charactersInsideMax = 256 * 1024;

/** Some milliseconds. */
const stepsAtOnceMax = 1_000;

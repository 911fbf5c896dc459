// Finds copies of a picture by its descriptor alone: in another size, format or quality, in a
// little other light, hardly cropped.

import { limits } from '../../limits.ts';
import type { Pause } from '../../work-watcher.ts';
import type { Descriptor } from '../similarity-descriptor.ts';
import { meanPlaces } from './centred-descriptors.ts';
import type { DisjointSets } from './disjoint-sets.ts';

type Vector = Descriptor['vector'];

/** What an image shows, at its place in the list that was given. */
export interface Pattern {
  readonly place: number;
  readonly vector: Vector;
  /** Square of its length without the means of its planes: how much there is to see. */
  readonly strength: number;
}

/**
 * Those that have something in them.
 *
 * Measured on the 364 images of BCCD, one microscope series: two images of different places are
 * at least 29 apart (the median is 83), one place moved by a twentieth is 25, in another focus 5.
 * Copies: other formats, sizes from half to double and JPEG qualities down to 20 are at most 5,
 * 10 % brighter 10, cropped by 1 % on each side 14.
 */
export function patternsOf(vectors: readonly Vector[]): readonly Pattern[] {
  return vectors
    .map((vector, place) => ({ place, vector, strength: strengthOf(vector) }))
    .filter(({ strength }) => strength >= limits.plainPatternMin ** 2);
}

/**
 * Unites the places of copies. False: of images that are nearly alike there are so many that some
 * were not compared with each other. `pause` is awaited between parts of the work.
 */
export async function uniteCopies(
  patterns: readonly Pattern[],
  sets: DisjointSets,
  pause: Pause,
): Promise<boolean> {
  const search = new CopySearch(toTable(uniteEqual(patterns, sets)), sets);
  const own = limits.copiesComparedOfOneMax;
  let [compared, atLastPause] = [0, 0];
  for (let one = 0; one < search.count; one += 1) {
    // What others have no use for is for those that look like many.
    const left = Math.max(own, own * search.count - compared);
    compared += search.uniteWithNear(one, left);
    if (compared - atLastPause < limits.descriptorsComparedAtOnce) continue;
    atLastPause = compared;
    await pause(one / search.count);
  }
  return search.isComplete;
}

const coefficientCount = 64 - meanPlaces.size;

function strengthOf(vector: Vector): number {
  let squares = 0;
  for (let at = 0; at < vector.length; at += 1) {
    if (!meanPlaces.has(at)) squares += (vector[at] ?? 0) ** 2;
  }
  return squares;
}

/** Unites patterns that are the same, and gives one of each. */
function uniteEqual(patterns: readonly Pattern[], sets: DisjointSets): readonly Pattern[] {
  const first = new Map<string, Pattern>();
  for (const pattern of patterns) {
    const key = String.fromCharCode(...pattern.vector.filter((_, at) => !meanPlaces.has(at)));
    const same = first.get(key);
    if (same === undefined) first.set(key, pattern);
    else sets.unite(same.place, pattern.place);
  }
  return [...first.values()];
}

/**
 * All patterns one after the other, in cells by their first two coefficients, and in a cell by
 * their third: so those that may be near to one stand in a few short ranges. A pattern has them in
 * the order of how much they differ between patterns.
 */
interface Table {
  readonly places: Int32Array;
  readonly coefficients: Int8Array;
  /** For each pattern, the square of the largest distance to a near-duplicate. */
  readonly mostSquares: Float64Array;
  /** By `cellOf`. */
  readonly cells: ReadonlyMap<number, Cell>;
}

/** As wide as near patterns are apart at most. */
interface Cell {
  readonly start: number;
  /** Behind the last. */
  end: number;
}

const distanceMax = limits.nearDuplicateDistanceMax;

/** Cells in a row: more than there are between the smallest and the largest coefficient. */
const rowOfCells = 64;

function cellOf(first: number, second: number): number {
  return Math.floor(first / distanceMax) * rowOfCells + Math.floor(second / distanceMax);
}

/** The cells whose patterns may be near, behind the own one: each pair of cells once. */
const cellsBehind = [1, rowOfCells - 1, rowOfCells, rowOfCells + 1];

function toTable(patterns: readonly Pattern[]): Table {
  const columns = coefficientsBySpread(patterns);
  const [first = 0, second = 0, third = 0] = columns;
  const keyed = patterns.map((pattern) => {
    const { vector } = pattern;
    return {
      pattern,
      cell: cellOf(vector[first] ?? 0, vector[second] ?? 0),
      third: vector[third] ?? 0,
    };
  });
  const sorted = keyed.toSorted((a, b) => a.cell - b.cell || a.third - b.third);
  const coefficients = new Int8Array(sorted.length * coefficientCount);
  const cells = new Map<number, Cell>();
  for (const [at, { pattern, cell }] of sorted.entries()) {
    for (let column = 0; column < coefficientCount; column += 1) {
      coefficients[at * coefficientCount + column] = pattern.vector[columns[column] ?? 0] ?? 0;
    }
    const known = cells.get(cell);
    if (known) known.end = at + 1;
    else cells.set(cell, { start: at, end: at + 1 });
  }
  const mostSquares = Float64Array.from(sorted, ({ pattern }) =>
    Math.min(distanceMax ** 2, pattern.strength / patternShare ** 2),
  );
  const places = Int32Array.from(sorted, ({ pattern }) => pattern.place);
  return { places, coefficients, mostSquares, cells };
}

/** Images with little in them differ by little: a quarter of it tells them apart. */
const patternShare = 4;

/** The places of the coefficients in a vector, that of the largest spread first. */
function coefficientsBySpread(patterns: readonly Pattern[]): readonly number[] {
  const [sums, squares] = [new Float64Array(64), new Float64Array(64)];
  for (const { vector } of patterns) {
    for (let at = 0; at < 64; at += 1) {
      const coefficient = vector[at] ?? 0;
      sums[at] = (sums[at] ?? 0) + coefficient;
      squares[at] = (squares[at] ?? 0) + coefficient * coefficient;
    }
  }
  const spread = (at: number) =>
    (squares[at] ?? 0) - (sums[at] ?? 0) ** 2 / Math.max(1, patterns.length);
  return [...sums.keys()]
    .filter((at) => !meanPlaces.has(at))
    .toSorted((a, b) => spread(b) - spread(a) || a - b);
}

/** Coefficients after which most pairs are known to be too far apart. */
const coefficientsBeforeSets = 8;
/** Patterns that are passed over at once where all of them are in one set. */
const runLength = 256;

class CopySearch {
  readonly count: number;
  isComplete = true;
  readonly #table: Table;
  readonly #sets: DisjointSets;
  /** For each run of patterns, whether all of them are known to be in one set. */
  readonly #areOne: Uint8Array;

  constructor(table: Table, sets: DisjointSets) {
    this.#table = table;
    this.#sets = sets;
    this.count = table.places.length;
    this.#areOne = new Uint8Array(Math.ceil(this.count / runLength));
  }

  /** With at most `most` of those behind it in its cell and the next ones. With how many it was. */
  uniteWithNear(one: number, most: number): number {
    const { cells } = this.#table;
    const own = cellOf(this.#coefficient(one, 0), this.#coefficient(one, 1));
    const end = cells.get(own)?.end ?? 0;
    let compared = this.#uniteIn(one, one + 1, end, most);
    for (const behind of cellsBehind) {
      const cell = cells.get(own + behind);
      if (cell === undefined) continue;
      compared += this.#uniteIn(one, this.#firstNear(cell, one), cell.end, most - compared);
    }
    return compared;
  }

  #coefficient(at: number, coefficient: number): number {
    return this.#table.coefficients[at * coefficientCount + coefficient] ?? 0;
  }

  /** Of a cell the first whose third coefficient is not too far below. */
  #firstNear({ start, end }: Cell, one: number): number {
    const least = this.#coefficient(one, 2) - distanceMax;
    let [low, high] = [start, end];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#coefficient(middle, 2) < least) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** With `most` of them. */
  #uniteIn(one: number, from: number, end: number, most: number): number {
    const { places } = this.#table;
    const thirdMax = this.#coefficient(one, 2) + distanceMax;
    const place = places[one] ?? 0;
    let [compared, same] = [0, 0];
    for (let other = from; other < end && this.#coefficient(other, 2) <= thirdMax; other += 1) {
      const run = Math.floor(other / runLength);
      if (other % runLength === 0) {
        same = 0;
        if (this.#areOne[run] === 1 && this.#sets.areOne(place, places[other] ?? 0)) {
          other += runLength - 1;
          continue;
        }
      }
      if (compared === most) {
        this.isComplete = false;
        break;
      }
      compared += 1;
      if (!this.#isOneSet(one, other)) continue;
      same += 1;
      if (same === runLength) this.#areOne[run] = 1;
    }
    return compared;
  }

  /** Unites both where they are near. */
  #isOneSet(one: number, other: number): boolean {
    const { places, coefficients, mostSquares } = this.#table;
    const most = Math.min(mostSquares[one] ?? 0, mostSquares[other] ?? 0);
    const start = one * coefficientCount;
    const otherStart = other * coefficientCount;
    let squares = 0;
    let at = 0;
    for (; at < coefficientsBeforeSets; at += 1) {
      const difference = (coefficients[start + at] ?? 0) - (coefficients[otherStart + at] ?? 0);
      squares += difference * difference;
    }
    if (squares > most) return false;
    const [place, otherPlace] = [places[one] ?? 0, places[other] ?? 0];
    if (this.#sets.areOne(place, otherPlace)) return true;
    for (; at < coefficientCount && squares <= most; at += 1) {
      const difference = (coefficients[start + at] ?? 0) - (coefficients[otherStart + at] ?? 0);
      squares += difference * difference;
    }
    if (squares > most) return false;
    this.#sets.unite(place, otherPlace);
    return true;
  }
}

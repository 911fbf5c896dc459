// Many vectors in cells around some of them, so that near ones are found without comparing all: an
// inverted file, as others call it.

import { limits } from '../limits.ts';
import type { Pause } from '../work-watcher.ts';
import {
  type PackedVectors,
  queryAt,
  samplePlaces,
  squaresOf,
  vectorAt,
} from './packed-vectors.ts';
import type { QuantisedQuery } from './quantise.ts';
import { type PlaceRange, VectorBlock } from './vector-block.ts';

/** Each vector is in the cell of the middle that is nearest to it. */
export class VectorCells {
  /** All vectors, by their places in the list; those of a cell one after the other. */
  readonly block: VectorBlock;
  /** The places in the list, cell by cell. */
  readonly order: Uint32Array;
  /** The middles, by the numbers of their cells. */
  readonly #middles: Middles;
  /** Of each cell the first place in the block; one more than there are cells. */
  readonly #starts: Uint32Array;

  constructor(vectors: PackedVectors, middles: Middles, cellOf: Uint16Array) {
    const count = cellOf.length;
    const cells = middles.block.count;
    this.#middles = middles;
    this.#starts = new Uint32Array(cells + 1);
    for (const cell of cellOf) this.#starts[cell + 1] = (this.#starts[cell + 1] ?? 0) + 1;
    for (let cell = 0; cell < cells; cell += 1) {
      this.#starts[cell + 1] = (this.#starts[cell + 1] ?? 0) + (this.#starts[cell] ?? 0);
    }
    const next = this.#starts.slice();
    this.order = new Uint32Array(count);
    for (const [place, cell] of cellOf.entries()) {
      const at = next[cell] ?? 0;
      this.order[at] = place;
      next[cell] = at + 1;
    }
    this.block = new VectorBlock(vectors.dimensions, count);
    for (const place of this.order) this.block.add(place, vectorAt(vectors, place));
  }

  /** Where the block has those of the `most` nearest cells; of full ones some of them. */
  near(query: QuantisedQuery, most: number): readonly PlaceRange[] {
    return Array.from(nearestCells(this.#middles, query, most), (cell) => {
      const start = this.#starts[cell] ?? 0;
      const end = Math.min(this.#starts[cell + 1] ?? 0, start + limits.vectorCellMembersMax);
      return { start, end };
    });
  }
}

/** `pause` is awaited between parts of the work. */
export async function cellsOf(vectors: PackedVectors, pause: Pause): Promise<VectorCells> {
  const { dimensions, scales } = vectors;
  const count = scales.length;
  const drawn = samplePlaces(count, Math.ceil(Math.sqrt(count)), 'cells');
  const block = new VectorBlock(dimensions, drawn.length);
  for (const [cell, place] of drawn.entries()) block.add(cell, vectorAt(vectors, place));
  const squares = squaresOf(vectors);
  const middles = { block, squares: Float64Array.from(drawn, (place) => squares[place] ?? 0) };
  const cellOf = new Uint16Array(count);
  for (let place = 0; place < count; place += 1) {
    cellOf[place] = nearestCells(middles, queryAt(vectors, place), 1)[0] ?? 0;
    if (place % placesBetweenTurns === 0) await pause(place / count);
  }
  return new VectorCells(vectors, middles, cellOf);
}

const placesBetweenTurns = 1_000;

interface Middles {
  readonly block: VectorBlock;
  /** Of their lengths. */
  readonly squares: Float64Array;
}

/** The nearest first; at most as many as there are. */
function nearestCells({ block, squares }: Middles, query: QuantisedQuery, most: number) {
  const near = Math.min(most, block.count);
  const found = new Uint16Array(near);
  const nearest = new Float64Array(near).fill(Number.NEGATIVE_INFINITY);
  block.compare(query, (cell, similarity) => {
    const nearness = 2 * similarity - (squares[cell] ?? 0);
    if (nearness <= (nearest[near - 1] ?? 0)) return;
    let at = near - 1;
    for (; at > 0 && nearness > (nearest[at - 1] ?? 0); at -= 1) {
      nearest[at] = nearest[at - 1] ?? 0;
      found[at] = found[at - 1] ?? 0;
    }
    nearest[at] = nearness;
    found[at] = cell;
  });
  return found;
}

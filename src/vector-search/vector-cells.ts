// Many vectors in cells around some of them, so that near ones are found without comparing all.

import { limits } from '../limits.ts';
import { type PackedVectors, queryAt, samplePlaces, vectorAt } from './packed-vectors.ts';
import { type PlaceRange, VectorBlock } from './vector-block.ts';

export interface VectorCells {
  /** All vectors, by their places in the list; those of a cell one after the other. */
  readonly block: VectorBlock;
  /** Where the block has those of the cells around a vector: some of very full ones. */
  around(place: number): readonly PlaceRange[];
}

/** Each vector is in the cell of the middle that it is most like. */
export async function cellsOf(
  vectors: PackedVectors,
  pause: () => Promise<void>,
): Promise<VectorCells> {
  const { dimensions, scales } = vectors;
  const count = scales.length;
  const middles = samplePlaces(count, Math.ceil(Math.sqrt(count)), 'cells');
  const block = new VectorBlock(dimensions, middles.length);
  for (const [cell, place] of middles.entries()) block.add(cell, vectorAt(vectors, place));
  const cells = new Uint16Array(count * near);
  for (let place = 0; place < count; place += 1) {
    cells.set(nearestCells(block, vectors, place), place * near);
    if (place % placesBetweenTurns === 0) await pause();
  }
  return inCells(vectors, cells, middles.length);
}

const near = limits.outlierCellsLookedIn;
const placesBetweenTurns = 1_000;

/** The nearest first. */
function nearestCells(block: VectorBlock, vectors: PackedVectors, place: number): Uint16Array {
  const found = new Uint16Array(near);
  const similarities = new Float64Array(near).fill(Number.NEGATIVE_INFINITY);
  block.compare(queryAt(vectors, place), (cell, similarity) => {
    if (similarity <= (similarities[near - 1] ?? 0)) return;
    let at = near - 1;
    for (; at > 0 && similarity > (similarities[at - 1] ?? 0); at -= 1) {
      similarities[at] = similarities[at - 1] ?? 0;
      found[at] = found[at - 1] ?? 0;
    }
    similarities[at] = similarity;
    found[at] = cell;
  });
  return found;
}

/** `cells`: the nearest few of each vector. */
function inCells(vectors: PackedVectors, cells: Uint16Array, cellCount: number): VectorCells {
  const count = vectors.scales.length;
  const starts = new Uint32Array(cellCount + 1);
  const ownOf = (place: number) => cells[place * near] ?? 0;
  for (let place = 0; place < count; place += 1) {
    starts[ownOf(place) + 1] = (starts[ownOf(place) + 1] ?? 0) + 1;
  }
  for (let cell = 0; cell < cellCount; cell += 1) {
    starts[cell + 1] = (starts[cell + 1] ?? 0) + (starts[cell] ?? 0);
  }
  const next = starts.slice();
  const order = new Uint32Array(count);
  for (let place = 0; place < count; place += 1) {
    const at = next[ownOf(place)] ?? 0;
    order[at] = place;
    next[ownOf(place)] = at + 1;
  }
  const block = new VectorBlock(vectors.dimensions, count);
  for (const place of order) block.add(place, vectorAt(vectors, place));
  return {
    block,
    around: (place) =>
      Array.from(cells.subarray(place * near, (place + 1) * near), (cell) => {
        const start = starts[cell] ?? 0;
        const end = Math.min(starts[cell + 1] ?? 0, start + limits.outlierCellMembersMax);
        return { start, end };
      }),
  };
}

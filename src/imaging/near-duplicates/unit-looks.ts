// Looks as vectors of length 1, as they are compared by their direction.

import { type PackedVectors, packVectors } from '../../vector-search/packed-vectors.ts';
import type { Look, Looks } from './looks.ts';

/** 0 for what has nothing but the mean image in it. */
export function unitLook(look: Look): Look {
  let squares = 0;
  for (const wave of look) squares += wave * wave;
  if (squares === 0) return look;
  const length = Math.sqrt(squares);
  return look.map((wave) => wave / length);
}

/** All of them, in their order. */
export function packLooks(looks: Looks): PackedVectors {
  return packVectors(unitLooks(looks), looks.count);
}

function* unitLooks(looks: Looks): Generator<Look> {
  for (let place = 0; place < looks.count; place += 1) yield unitLook(looks.of(place));
}

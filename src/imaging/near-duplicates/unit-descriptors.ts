// Centred descriptors as vectors of length 1, as they are compared by their direction.

import { type PackedVectors, packVectors } from '../../vector-search/packed-vectors.ts';
import type { CentredDescriptor, CentredDescriptors } from './centred-descriptors.ts';

/** 0 for what has nothing but the mean image in it. */
export function unitDescriptor(descriptor: CentredDescriptor): CentredDescriptor {
  let squares = 0;
  for (const coefficient of descriptor) squares += coefficient * coefficient;
  if (squares === 0) return descriptor;
  const length = Math.sqrt(squares);
  return descriptor.map((coefficient) => coefficient / length);
}

/** All of them, in their order. */
export function packDescriptors(descriptors: CentredDescriptors): PackedVectors {
  return packVectors(unitDescriptors(descriptors), descriptors.count);
}

function* unitDescriptors(descriptors: CentredDescriptors): Generator<CentredDescriptor> {
  for (let place = 0; place < descriptors.count; place += 1)
    yield unitDescriptor(descriptors.of(place));
}

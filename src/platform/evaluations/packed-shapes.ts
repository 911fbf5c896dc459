// Numbers of many shapes in two arrays: one array for each would take long from thread to thread.

export interface PackedShapes {
  readonly numbers: Float32Array;
  /** Of each shape, where its numbers end. */
  readonly ends: Uint32Array;
}

export function packShapes(shapes: readonly (readonly number[])[]): PackedShapes {
  let length = 0;
  const ends = Uint32Array.from(shapes, (shape) => (length += shape.length));
  const numbers = new Float32Array(length);
  for (const [place, shape] of shapes.entries()) {
    numbers.set(shape, (ends[place] ?? 0) - shape.length);
  }
  return { numbers, ends };
}

/** Empty where there is none. */
export function shapeAt({ numbers, ends }: PackedShapes, place: number): Float32Array {
  return numbers.subarray(place === 0 ? 0 : ends[place - 1], ends[place]);
}

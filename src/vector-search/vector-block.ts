// Many vectors of bytes in the memory of WebAssembly, and the exact comparison of all of them with
// a query.

import { FoveaError } from '../errors.ts';
import { limits } from '../limits.ts';
import { compiledKernel } from './compiled-wasm.ts';
import type { QuantisedQuery, QuantisedVector } from './quantise.ts';

/** Told of each vector: its number, and its similarity to the query. */
export type Compared = (ordinal: number, similarity: number) => void;

export interface PlaceRange {
  readonly start: number;
  /** The first place behind it. */
  readonly end: number;
}

/** Vectors of one length. Their memory is given back when nothing holds the block any more. */
export class VectorBlock {
  readonly dimensions: number;
  readonly #kernel = startKernel();
  /** Bytes of a vector in memory. */
  readonly #stride: number;
  readonly #query: number;
  readonly #products: number;
  readonly #vectors: number;
  #capacity: number;
  #ordinals: Float64Array;
  #scales: Float32Array;
  #count = 0;

  /** `capacity`: how many vectors it takes at once; it grows where more come. */
  constructor(dimensions: number, capacity: number) {
    this.dimensions = dimensions;
    this.#stride = alignUp(dimensions);
    this.#capacity = Math.max(1, capacity);
    this.#ordinals = new Float64Array(this.#capacity);
    this.#scales = new Float32Array(this.#capacity);
    this.#query = alignUp(this.#kernel.freeMemory());
    this.#products = this.#query + this.#stride * 2;
    this.#vectors = this.#products + limits.vectorsComparedAtOnce * 4;
    this.#kernel.growTo(this.#endOf(this.#capacity));
  }

  get count(): number {
    return this.#count;
  }

  get bytes(): number {
    return this.#endOf(this.#capacity) + this.#capacity * 12;
  }

  /** Forgets all of them, and keeps the memory. */
  clear(): void {
    this.#count = 0;
  }

  /** Throws `internal` for a vector of another length. */
  add(ordinal: number, { scale, values }: QuantisedVector): void {
    if (values.length !== this.dimensions) {
      throw new FoveaError('internal', 'A vector has another length than those beside it.');
    }
    if (this.#count === this.#capacity) this.#grow();
    const place = this.#vectors + this.#count * this.#stride;
    new Int8Array(this.#kernel.memory.buffer, place, this.dimensions).set(values);
    this.#ordinals[this.#count] = ordinal;
    this.#scales[this.#count] = scale;
    this.#count += 1;
  }

  /** Compares all of them, or those at the places from `start` to `end`, in the order they came. */
  compare(
    { values, scale }: QuantisedQuery,
    compared: Compared,
    { start, end }: PlaceRange = { start: 0, end: this.#count },
  ): void {
    const query = new Int16Array(this.#kernel.memory.buffer, this.#query, this.#stride);
    query.fill(0);
    query.set(values);
    const last = Math.min(end, this.#count);
    for (let first = start; first < last; first += limits.vectorsComparedAtOnce) {
      const count = Math.min(limits.vectorsComparedAtOnce, last - first);
      const vectors = this.#vectors + first * this.#stride;
      this.#kernel.dots(this.#query, vectors, this.#stride, count, this.#products);
      const products = new Int32Array(this.#kernel.memory.buffer, this.#products, count);
      for (let at = 0; at < count; at += 1) {
        const step = (this.#scales[first + at] ?? 0) * scale;
        compared(this.#ordinals[first + at] ?? 0, (products[at] ?? 0) * step);
      }
    }
  }

  #endOf(capacity: number): number {
    return this.#vectors + capacity * this.#stride;
  }

  #grow(): void {
    const capacity = this.#capacity + Math.ceil(this.#capacity / 2);
    this.#kernel.growTo(this.#endOf(capacity));
    const [ordinals, scales] = [new Float64Array(capacity), new Float32Array(capacity)];
    ordinals.set(this.#ordinals);
    scales.set(this.#scales);
    this.#ordinals = ordinals;
    this.#scales = scales;
    this.#capacity = capacity;
  }
}

function alignUp(bytes: number): number {
  return Math.ceil(bytes / 16) * 16;
}

const pageBytes = 65_536;

let compiled: WebAssembly.Module | undefined;

function startKernel() {
  compiled ??= new WebAssembly.Module(Buffer.from(compiledKernel, 'base64'));
  const { exports } = new WebAssembly.Instance(compiled, {});
  const { memory } = exports;
  if (!(memory instanceof WebAssembly.Memory)) throw broken();
  return {
    memory,
    freeMemory: functionOf(exports, 'freeMemory'),
    dots: functionOf(exports, 'dots'),
    /** Throws `too_large` where there is not so much memory. */
    growTo: (bytes: number) => {
      const pages = Math.ceil((bytes - memory.buffer.byteLength) / pageBytes);
      if (pages <= 0) return;
      try {
        memory.grow(pages);
      } catch (cause) {
        throw new FoveaError('too_large', 'There is not enough memory for these vectors.', {
          cause,
        });
      }
    },
  };
}

function functionOf(exports: WebAssembly.Exports, name: string): WasmFunction {
  const found = exports[name];
  if (isWasmFunction(found)) return found;
  throw broken();
}

type WasmFunction = (...values: readonly number[]) => number;

function isWasmFunction(value: unknown): value is WasmFunction {
  return typeof value === 'function';
}

function broken(): FoveaError {
  return new FoveaError('internal', 'The compiled dot products are not what they should be.');
}

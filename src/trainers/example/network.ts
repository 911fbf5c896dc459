// The network of the example trainer: two layers over the features of a cell and its neighbours.

import { between, type Random } from '../../seeded-random.ts';
import { channels, gridSide } from './features.ts';

/** A cell and its eight neighbours. */
const reach = 3;
const inputs = channels * reach * reach;
export const hidden = 48;

/** The grid with a border of zeros. */
const paddedSide = gridSide + reach - 1;

/** Numbers that are learned, laid out as the convolutions of ONNX have them. */
export interface Network {
  /** How many numbers the network says of a cell. */
  readonly outputs: number;
  /** [hidden, channels, 3, 3]. */
  readonly first: Float32Array;
  readonly firstBias: Float32Array;
  /** [outputs, hidden, 1, 1]. */
  readonly second: Float32Array;
  readonly secondBias: Float32Array;
}

export function createNetwork(outputs: number, random: Random): Network {
  const normal = (count: number, inputsOfEach: number) =>
    Float32Array.from(
      { length: count },
      // Uniform numbers of the spread that keeps a signal as large as it is (He and others, 2015).
      () => between(random, -1, 1) * Math.sqrt(6 / inputsOfEach),
    );
  return {
    outputs,
    first: normal(hidden * inputs, inputs),
    firstBias: new Float32Array(hidden),
    second: normal(outputs * hidden, hidden * 20),
    secondBias: new Float32Array(outputs),
  };
}

export function parametersOf(network: Network): readonly Float32Array[] {
  return [network.first, network.firstBias, network.second, network.secondBias];
}

/** Mirrors maps as an image is mirrored, and puts the border around. */
export function padded(
  maps: Float32Array,
  mirror: { readonly across: boolean; readonly down: boolean },
): Float32Array {
  const result = new Float32Array(channels * paddedSide * paddedSide);
  for (let channel = 0; channel < channels; channel++) {
    for (let row = 0; row < gridSide; row++) {
      const from = (channel * gridSide + (mirror.down ? gridSide - 1 - row : row)) * gridSide;
      const to = (channel * paddedSide + row + 1) * paddedSide + 1;
      for (let column = 0; column < gridSide; column++) {
        const other = mirror.across ? gridSide - 1 - column : column;
        result[to + column] = maps[from + other] ?? 0;
      }
    }
  }
  return result;
}

/** One cell on its way through the network; the same arrays are used for each. */
export class CellPass {
  readonly #network: Network;
  readonly #input = new Float32Array(inputs);
  readonly #hidden = new Float32Array(hidden);
  readonly #slope = new Float32Array(hidden);
  readonly output: Float32Array;

  constructor(network: Network) {
    this.#network = network;
    this.output = new Float32Array(network.outputs);
  }

  /** Fills `output` for a cell of padded maps. */
  forward(maps: Float32Array, row: number, column: number): void {
    this.#gather(maps, row, column);
    const { first, firstBias, second, secondBias, outputs } = this.#network;
    for (let unit = 0; unit < hidden; unit++) {
      const sum = dot(first, unit * inputs, this.#input) + (firstBias[unit] ?? 0);
      this.#hidden[unit] = Math.max(0, sum);
    }
    for (let place = 0; place < outputs; place++) {
      this.output[place] = dot(second, place * hidden, this.#hidden) + (secondBias[place] ?? 0);
    }
  }

  /** Adds what the numbers contributed to the slope of the outputs of the last `forward`. */
  backward(slopes: Float32Array, sums: Network): void {
    const { second, outputs } = this.#network;
    this.#slope.fill(0);
    for (let place = 0; place < outputs; place++) {
      const slope = slopes[place] ?? 0;
      if (slope === 0) continue;
      addScaled(sums.second, place * hidden, this.#hidden, slope);
      addScaled(this.#slope, 0, second.subarray(place * hidden, (place + 1) * hidden), slope);
      sums.secondBias[place] = (sums.secondBias[place] ?? 0) + slope;
    }
    for (let unit = 0; unit < hidden; unit++) {
      const slope = this.#slope[unit] ?? 0;
      if ((this.#hidden[unit] ?? 0) <= 0 || slope === 0) continue;
      addScaled(sums.first, unit * inputs, this.#input, slope);
      sums.firstBias[unit] = (sums.firstBias[unit] ?? 0) + slope;
    }
  }

  #gather(maps: Float32Array, row: number, column: number): void {
    let place = 0;
    for (let channel = 0; channel < channels; channel++) {
      for (let y = 0; y < reach; y++) {
        const from = (channel * paddedSide + row + y) * paddedSide + column;
        for (let x = 0; x < reach; x++) this.#input[place++] = maps[from + x] ?? 0;
      }
    }
  }
}

/** The same shapes, filled with zeros. */
export function zerosLike(network: Network): Network {
  return {
    outputs: network.outputs,
    first: new Float32Array(network.first.length),
    firstBias: new Float32Array(network.firstBias.length),
    second: new Float32Array(network.second.length),
    secondBias: new Float32Array(network.secondBias.length),
  };
}

function dot(weights: Float32Array, from: number, values: Float32Array): number {
  let sum = 0;
  for (let place = 0; place < values.length; place++) {
    sum += (weights[from + place] ?? 0) * (values[place] ?? 0);
  }
  return sum;
}

function addScaled(sums: Float32Array, from: number, values: Float32Array, scale: number): void {
  for (let place = 0; place < values.length; place++) {
    sums[from + place] = (sums[from + place] ?? 0) + (values[place] ?? 0) * scale;
  }
}

// What the example trainer sees of an image: how light, how red, green and blue it is around each
// cell of a grid, and how much that changes there. The ONNX graph computes the same.

import type { OnnxConstant, OnnxNode } from './onnx-writer.ts';

/** The canvas is square; both in pixels. */
export const canvasSide = 320;
export const stride = 16;

/** Cells in a row of the grid. */
export const gridSide = canvasSide / stride;

/** Pixels of the canvas that are averaged first, each way. */
const grain = 4;
const grainSide = canvasSide / grain;
const grainsPerCell = stride / grain;

/** Windows around a cell, in grains: the cell itself, its neighbours, and what lies around. */
const windows = [4, 12, 28] as const;

/** Mean and spread of three colours, for each window. */
export const channels = windows.length * 6;

/** Keeps the spread of a plain colour away from zero, where it has no slope. */
const spreadMin = 1e-4;

/** From [3, side, side] to [channels, gridSide, gridSide], both row by row. */
export function featureMaps(planes: Float32Array): Float32Array {
  const maps = new Float32Array(channels * gridSide * gridSide);
  for (let colour = 0; colour < 3; colour++) {
    const plane = planes.subarray(colour * canvasSide * canvasSide);
    const { sums, squares } = sumTables(grains(plane));
    for (const [place, window] of windows.entries()) {
      const channel = place * 6 + colour;
      fillMaps(maps, channel, { sums, squares }, window);
    }
  }
  return maps;
}

/** The averages of small squares. */
function grains(plane: Float32Array): Float64Array {
  const values = new Float64Array(grainSide * grainSide);
  for (let y = 0; y < canvasSide; y++) {
    const row = Math.floor(y / grain) * grainSide;
    for (let x = 0; x < canvasSide; x++) {
      const at = row + Math.floor(x / grain);
      values[at] = (values[at] ?? 0) + (plane[y * canvasSide + x] ?? 0) / grain ** 2;
    }
  }
  return values;
}

interface SumTables {
  readonly sums: Float64Array;
  readonly squares: Float64Array;
}

/** Sums of all that lies above and to the left: a window is four of them. */
function sumTables(values: Float64Array): SumTables {
  const side = grainSide + 1;
  const sums = new Float64Array(side * side);
  const squares = new Float64Array(side * side);
  for (let y = 1; y < side; y++) {
    for (let x = 1; x < side; x++) {
      const value = values[(y - 1) * grainSide + x - 1] ?? 0;
      const [at, above] = [y * side + x, (y - 1) * side + x];
      const sum = (table: Float64Array, own: number) =>
        own + (table[above] ?? 0) + (table[at - 1] ?? 0) - (table[above - 1] ?? 0);
      sums[at] = sum(sums, value);
      squares[at] = sum(squares, value * value);
    }
  }
  return { sums, squares };
}

/** What lies beyond the canvas does not count. */
function fillMaps(maps: Float32Array, channel: number, tables: SumTables, window: number): void {
  const plane = gridSide * gridSide;
  const margin = (window - grainsPerCell) / 2;
  for (let row = 0; row < gridSide; row++) {
    const [top, bottom] = span(row, margin, window);
    for (let column = 0; column < gridSide; column++) {
      const [left, right] = span(column, margin, window);
      const count = (bottom - top) * (right - left);
      const mean = inside(tables.sums, { left, top, right, bottom }) / count;
      const square = inside(tables.squares, { left, top, right, bottom }) / count;
      const at = row * gridSide + column;
      maps[channel * plane + at] = mean;
      const spread = Math.max(0, square - mean * mean) + spreadMin;
      maps[(channel + 3) * plane + at] = Math.sqrt(spread);
    }
  }
}

function span(cell: number, margin: number, window: number): readonly [number, number] {
  const start = cell * grainsPerCell - margin;
  return [Math.max(0, start), Math.min(grainSide, start + window)];
}

interface Window {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

function inside(table: Float64Array, { left, top, right, bottom }: Window): number {
  const side = grainSide + 1;
  const at = (y: number, x: number) => table[y * side + x] ?? 0;
  return at(bottom, right) - at(top, right) - at(bottom, left) + at(top, left);
}

/** The same as nodes of a graph, from the input to a tensor of that name. */
export function featureNodes(input: string, output: string): readonly OnnxNode[] {
  const pooled = windows.flatMap((window, place) => windowNodes(window, `window${place}`));
  return [
    averagePool(input, 'grains', grain, grain, 0),
    { operator: 'Mul', inputs: ['grains', 'grains'], outputs: ['squares'] },
    ...pooled,
    {
      operator: 'Concat',
      inputs: windows.flatMap((_, place) => [`window${place}_mean`, `window${place}_spread`]),
      outputs: [output],
      attributes: { axis: { int: 1 } },
    },
  ];
}

export const featureConstants: readonly OnnxConstant[] = [
  { name: 'spread_min', type: 'float', shape: [1], values: [spreadMin] },
];

function windowNodes(window: number, name: string): readonly OnnxNode[] {
  const margin = (window - grainsPerCell) / 2;
  const pool = (input: string, output: string) =>
    averagePool(input, output, window, grainsPerCell, margin);
  return [
    pool('grains', `${name}_mean`),
    pool('squares', `${name}_square`),
    { operator: 'Mul', inputs: [`${name}_mean`, `${name}_mean`], outputs: [`${name}_product`] },
    {
      operator: 'Sub',
      inputs: [`${name}_square`, `${name}_product`],
      outputs: [`${name}_difference`],
    },
    { operator: 'Relu', inputs: [`${name}_difference`], outputs: [`${name}_variance`] },
    { operator: 'Add', inputs: [`${name}_variance`, 'spread_min'], outputs: [`${name}_sum`] },
    { operator: 'Sqrt', inputs: [`${name}_sum`], outputs: [`${name}_spread`] },
  ];
}

function averagePool(
  input: string,
  output: string,
  size: number,
  step: number,
  margin: number,
): OnnxNode {
  return {
    operator: 'AveragePool',
    inputs: [input],
    outputs: [output],
    attributes: {
      kernel_shape: { ints: [size, size] },
      strides: { ints: [step, step] },
      pads: { ints: [margin, margin, margin, margin] },
      count_include_pad: { int: 0 },
    },
  };
}

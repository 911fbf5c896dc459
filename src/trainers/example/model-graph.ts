// The trained network as an ONNX model: from an image to boxes, as models are run here.

import { boxNumbers, powerMax, usualSize } from './boxes-of-cells.ts';
import {
  canvasSide,
  channels,
  featureConstants,
  featureNodes,
  gridSide,
  stride,
} from './features.ts';
import { hidden, type Network } from './network.ts';
import { type OnnxConstant, type OnnxNode, onnxModel } from './onnx-writer.ts';

/** What makes the channels of the features comparable. */
export interface Scaling {
  readonly means: readonly number[];
  /** One over the spread of each. */
  readonly factors: readonly number[];
}

/**
 * A model that takes `[1, 3, 320, 320]`, red, green and blue from 0 to 1, and gives
 * `[1, 4 + classes, 400]`: centre and size in pixels, then a score for each class.
 */
export function modelFile(
  network: Network,
  scaling: Scaling,
  classes: readonly string[],
): Uint8Array {
  const cells = gridSide * gridSide;
  const names = classes.map((name, index) => `${index}: ${JSON.stringify(name)}`);
  return onnxModel({
    name: 'fovea-example',
    inputs: [{ name: 'images', shape: [1, 3, canvasSide, canvasSide] }],
    outputs: [{ name: 'output0', shape: [1, boxNumbers + classes.length, cells] }],
    nodes: [...featureNodes('images', 'features'), ...layers, ...boxes],
    constants: [
      ...featureConstants,
      ...layerConstants(network, scaling),
      ...boxConstants(classes.length),
    ],
    metadata: {
      names: `{${names.join(', ')}}`,
      task: 'detect',
      stride: String(stride),
      description: 'Example trainer of Fovea: learns colours on a coarse grid, not shapes.',
    },
  });
}

const layers: readonly OnnxNode[] = [
  { operator: 'Sub', inputs: ['features', 'means'], outputs: ['centred'] },
  { operator: 'Mul', inputs: ['centred', 'factors'], outputs: ['scaled'] },
  {
    operator: 'Conv',
    inputs: ['scaled', 'first', 'first_bias'],
    outputs: ['sums'],
    attributes: { kernel_shape: { ints: [3, 3] }, pads: { ints: [1, 1, 1, 1] } },
  },
  { operator: 'Relu', inputs: ['sums'], outputs: ['units'] },
  {
    operator: 'Conv',
    inputs: ['units', 'second', 'second_bias'],
    outputs: ['grid'],
    attributes: { kernel_shape: { ints: [1, 1] } },
  },
  { operator: 'Reshape', inputs: ['grid', 'cell_shape'], outputs: ['cells'] },
];

/** As boxes-of-cells.ts has it. */
const boxes: readonly OnnxNode[] = [
  {
    operator: 'Split',
    inputs: ['cells', 'parts'],
    outputs: ['offsets', 'powers', 'logits'],
    attributes: { axis: { int: 1 } },
  },
  { operator: 'Add', inputs: ['offsets', 'middles'], outputs: ['places'] },
  { operator: 'Mul', inputs: ['places', 'stride'], outputs: ['centres'] },
  { operator: 'Clip', inputs: ['powers', 'power_min', 'power_max'], outputs: ['clipped'] },
  { operator: 'Exp', inputs: ['clipped'], outputs: ['ratios'] },
  { operator: 'Mul', inputs: ['ratios', 'usual_size'], outputs: ['sizes'] },
  { operator: 'Sigmoid', inputs: ['logits'], outputs: ['scores'] },
  {
    operator: 'Concat',
    inputs: ['centres', 'sizes', 'scores'],
    outputs: ['output0'],
    attributes: { axis: { int: 1 } },
  },
];

function layerConstants(network: Network, scaling: Scaling): readonly OnnxConstant[] {
  const { outputs, first, firstBias, second, secondBias } = network;
  const float = (name: string, shape: readonly number[], values: ArrayLike<number>) =>
    ({ name, type: 'float', shape, values }) as const;
  return [
    float('means', [1, channels, 1, 1], scaling.means),
    float('factors', [1, channels, 1, 1], scaling.factors),
    float('first', [hidden, channels, 3, 3], first),
    float('first_bias', [hidden], firstBias),
    float('second', [outputs, hidden, 1, 1], second),
    float('second_bias', [outputs], secondBias),
  ];
}

function boxConstants(classCount: number): readonly OnnxConstant[] {
  const cells = gridSide * gridSide;
  const columns = Array.from({ length: cells }, (_, cell) => (cell % gridSide) + 0.5);
  const rows = Array.from({ length: cells }, (_, cell) => Math.floor(cell / gridSide) + 0.5);
  return [
    {
      name: 'cell_shape',
      type: 'int64',
      shape: [3],
      values: [1, boxNumbers + classCount, cells],
    },
    { name: 'parts', type: 'int64', shape: [3], values: [2, 2, classCount] },
    { name: 'middles', type: 'float', shape: [1, 2, cells], values: [...columns, ...rows] },
    { name: 'stride', type: 'float', shape: [1], values: [stride] },
    { name: 'power_min', type: 'float', shape: [], values: [-powerMax] },
    { name: 'power_max', type: 'float', shape: [], values: [powerMax] },
    { name: 'usual_size', type: 'float', shape: [1], values: [usualSize] },
  ];
}

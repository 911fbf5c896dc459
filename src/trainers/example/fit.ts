// Learning: Adam over the images, one step for each, with the same numbers each time.

import { type Random, shuffled } from '../../seeded-random.ts';
import { boxNumbers, type LabelledBox, mirrored, sigmoid, targetsOf } from './boxes-of-cells.ts';
import { gridSide } from './features.ts';
import {
  CellPass,
  createNetwork,
  type Network,
  padded,
  parametersOf,
  zerosLike,
} from './network.ts';

/** An image as it is learned: maps that were made comparable, boxes in pixels of the canvas. */
export interface Example {
  readonly maps: Float32Array;
  readonly boxes: readonly LabelledBox[];
}

export interface Fit {
  readonly network: Network;
  /** One epoch over the examples; gives the mean loss. */
  epoch(learningRate: number): number;
}

export function createFit(examples: readonly Example[], classCount: number, random: Random): Fit {
  const network = createNetwork(boxNumbers + classCount, random);
  // Nearly all cells are background: starting from that saves many epochs.
  network.secondBias.fill(Math.log(rareShare / (1 - rareShare)), boxNumbers);
  const adam = createAdam(network);
  return {
    network,
    epoch: (learningRate) => {
      let loss = 0;
      for (const { maps, boxes } of shuffled(examples, random)) {
        const mirror = { across: random() < 0.5, down: random() < 0.5 };
        const slopes = zerosLike(network);
        const seen = boxes.map((box) => mirrored(box, mirror));
        loss += addSlopes(network, padded(maps, mirror), seen, slopes);
        adam(slopes, learningRate);
      }
      return loss / examples.length;
    },
  };
}

const rareShare = 0.02;

/** Slopes of one image; gives its loss. All is divided by the cells that have a box. */
function addSlopes(
  network: Network,
  maps: Float32Array,
  boxes: readonly LabelledBox[],
  sums: Network,
): number {
  const targets = targetsOf(boxes);
  const scale = 1 / Math.max(1, targets.size);
  const pass = new CellPass(network);
  const slopes = new Float32Array(network.outputs);
  let loss = 0;
  for (let cell = 0; cell < gridSide * gridSide; cell++) {
    pass.forward(maps, Math.floor(cell / gridSide), cell % gridSide);
    slopes.fill(0);
    const target = targets.get(cell);
    for (let place = boxNumbers; place < network.outputs; place++) {
      const isIt = target?.classIndex === place - boxNumbers;
      loss += scale * scoreLoss(pass.output[place] ?? 0, isIt);
      slopes[place] = keep(scale * scoreSlope(pass.output[place] ?? 0, isIt));
    }
    for (const [place, wanted] of target?.numbers.entries() ?? []) {
      const error = (pass.output[place] ?? 0) - wanted;
      loss += scale * Math.abs(error);
      slopes[place] = scale * Math.max(-1, Math.min(1, error * 4));
    }
    pass.backward(slopes, sums);
  }
  return loss;
}

/** Slopes so small change nothing, and cost as much as others. */
function keep(slope: number): number {
  return Math.abs(slope) < 1e-6 ? 0 : slope;
}

/** Cells that are predicted well count little (focal loss, Lin and others, 2017). */
const focus = 2;
const positiveShare = 0.5;

function scoreLoss(output: number, isIt: boolean): number {
  const right = isIt ? sigmoid(output) : 1 - sigmoid(output);
  const share = isIt ? positiveShare : 1 - positiveShare;
  return -share * (1 - right) ** focus * Math.log(Math.max(right, 1e-7));
}

function scoreSlope(output: number, isIt: boolean): number {
  const right = isIt ? sigmoid(output) : 1 - sigmoid(output);
  const share = isIt ? positiveShare : 1 - positiveShare;
  const towards =
    share * (1 - right) ** focus * (focus * right * Math.log(Math.max(right, 1e-7)) - (1 - right));
  return isIt ? towards : -towards;
}

/** Kingma and Ba, 2015, with weights that decay on their own (Loshchilov and Hutter, 2019). */
function createAdam(network: Network) {
  const means = parametersOf(zerosLike(network));
  const squares = parametersOf(zerosLike(network));
  let step = 0;
  return (slopes: Network, learningRate: number) => {
    step += 1;
    const meanPart = 1 - 0.9 ** step;
    const squarePart = 1 - 0.999 ** step;
    const all = parametersOf(slopes);
    for (const [place, values] of parametersOf(network).entries()) {
      const [mean, square, slope] = [means[place], squares[place], all[place]];
      if (!mean || !square || !slope) continue;
      for (let index = 0; index < values.length; index++) {
        const own = slope[index] ?? 0;
        const nextMean = 0.9 * (mean[index] ?? 0) + 0.1 * own;
        const nextSquare = 0.999 * (square[index] ?? 0) + 0.001 * own * own;
        mean[index] = nextMean;
        square[index] = nextSquare;
        const change = nextMean / meanPart / (Math.sqrt(nextSquare / squarePart) + 1e-8);
        const value = values[index] ?? 0;
        values[index] = value - learningRate * (change + weightDecay * value);
      }
    }
  };
}

const weightDecay = 0.01;

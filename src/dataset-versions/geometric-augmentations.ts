// Flip, 90-degree turns, crop, rotation and shear: each is one matrix for pixels and boxes.

import type { VersionSettings } from '../contract/version-settings.ts';
import { below, between, eitherWay } from '../seeded-random.ts';
import type { AugmentationChoice, Chooser } from './augmentation-choice.ts';
import type { GeometricTransform } from './labelled-image.ts';
import { composeTurns, type Turn, turnKey, turns } from './orientation.ts';
import {
  around,
  compose,
  identity,
  type Matrix,
  type Size,
  scaling,
  translation,
  turning,
} from './transform-boxes.ts';

type Settings = VersionSettings['augmentation'];
type Setting<Key extends keyof Settings> = NonNullable<Settings[Key]>;

/** Mirrors in one direction, in both or in none. */
export const chooseFlip: Chooser<Setting<'flip'>> = ({ horizontal, vertical }, random) => {
  const leftRight = horizontal && random() < 0.5;
  const upDown = vertical && random() < 0.5;
  if (leftRight && upDown) {
    return turnChoice('flip both ways', composeTurns(turns.horizontal, turns.vertical));
  }
  if (leftRight) return turnChoice('flip left-right', turns.horizontal);
  return upDown ? turnChoice('flip up-down', turns.vertical) : undefined;
};

/** One of the chosen turns, or no turn. */
export const chooseNinety: Chooser<Setting<'ninety'>> = (setting, random) => {
  const chosen = quarterTurns.filter((turn) => setting[turn]);
  const name = chosen[below(random, chosen.length + 1)];
  return name === undefined ? undefined : turnChoice(`turn ${name}`, turns[name]);
};

const quarterTurns = ['clockwise', 'counter-clockwise', 'upside-down'] as const;

/** A window of the same shape, with so much less area, at a random place, enlarged to the whole. */
export const chooseCrop: Chooser<Setting<'crop'>> = ({ min = 0, max }, random) => {
  const percent = between(random, min, max);
  const [x, y] = [random(), random()];
  if (percent === 0) return undefined;
  const side = Math.sqrt(1 - percent / 100);
  return {
    words: `crop ${shown(percent)} %`,
    id: `crop ${percent} ${x} ${y}`,
    geometricTransform: ({ width, height }) => ({
      matrix: compose(
        translation(-x * width * (1 - side), -y * height * (1 - side)),
        scaling(1 / side, 1 / side),
      ),
      size: { width, height },
    }),
  };
};

/** Around the middle, in a frame of the same size; black where nothing was. */
export const chooseRotate: Chooser<Setting<'rotate'>> = ({ degrees }, random) => {
  const angle = eitherWay(random, degrees);
  if (angle === 0) return undefined;
  const [cos, sin] = [Math.cos(radians(angle)), Math.sin(radians(angle))];
  return {
    words: `rotate ${shown(angle)}°`,
    id: `rotate ${angle}`,
    geometricTransform: centred([cos, sin, -sin, cos, 0, 0]),
  };
};

/**
 * Along one side, then along the other, around the middle, in a frame of the same size. One after
 * the other keeps the area: both at once would press 45 degrees each way into a line.
 */
export const chooseShear: Chooser<Setting<'shear'>> = (setting, random) => {
  const horizontal = eitherWay(random, setting.horizontal ?? 0);
  const vertical = eitherWay(random, setting.vertical ?? 0);
  if (horizontal === 0 && vertical === 0) return undefined;
  const [x, y] = [Math.tan(radians(horizontal)), Math.tan(radians(vertical))];
  return {
    words: `shear ${shown(horizontal)}° ${shown(vertical)}°`,
    id: `shear ${horizontal} ${vertical}`,
    geometricTransform: centred(compose([1, 0, x, 1, 0, 0], [1, y, 0, 1, 0, 0])),
  };
};

/** Several transforms as one. */
export function composeTransforms(
  size: Size,
  transforms: readonly ((size: Size) => GeometricTransform)[],
): GeometricTransform {
  return transforms.reduce<GeometricTransform>(
    (before, next) => {
      const { matrix, size, turn } = next(before.size);
      const whole = { matrix: compose(before.matrix, matrix), size };
      if (before.turn === undefined || turn === undefined) return whole;
      return { ...whole, turn: composeTurns(before.turn, turn) };
    },
    { matrix: identity, size, turn: turns.none },
  );
}

export function turnTransform(turn: Turn): (size: Size) => GeometricTransform {
  return (size) => ({
    matrix: turning(turn, size),
    size: turn.quarters % 2 === 0 ? size : { width: size.height, height: size.width },
    turn,
  });
}

/** Whether the transform moves nothing. */
export function isIdentity({ turn }: GeometricTransform): boolean {
  return turn !== undefined && turnKey(turn) === turnKey(turns.none);
}

function turnChoice(words: string, turn: Turn): AugmentationChoice {
  return { words, id: '', geometricTransform: turnTransform(turn), turn };
}

function centred(matrix: Matrix) {
  return (size: Size): GeometricTransform => ({
    matrix: around([size.width / 2, size.height / 2], matrix),
    size,
  });
}

function radians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}

/** A strength in words: one digit after the point is enough. */
export function shown(value: number): number {
  return Math.round(value * 10) / 10 + 0;
}

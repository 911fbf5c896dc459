// Colours of classes: stable, and told apart by people of any colour vision.

import { describe, expect, test } from 'vitest';
import { classColours, readableOn } from '../../src/imaging/class-colours.ts';
import type { Colour } from '../../src/imaging/drawing-canvas.ts';

const labels = Array.from({ length: 10 }, (_, index) => `class ${index}`);

/** Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB. */
const simulations: Readonly<Record<string, readonly number[]>> = {
  'full colour vision': [1, 0, 0, 0, 1, 0, 0, 0, 1],
  protanopia: [
    0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998,
  ],
  deuteranopia: [
    0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881,
  ],
  tritanopia: [
    1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.3039,
  ],
};

function multiply(matrix: readonly number[], vector: readonly number[]): readonly number[] {
  return [0, 3, 6].map((row) =>
    vector.reduce((sum, value, column) => sum + value * (matrix[row + column] ?? 0), 0),
  );
}

/** Oklab (Ottosson, 2020) of linear RGB. */
function oklab(linear: readonly number[]): readonly number[] {
  const cones = multiply(
    [
      0.4122214708, 0.5363325363, 0.0514459929, 0.2119034982, 0.6806995451, 0.1073969566,
      0.0883024619, 0.2817188376, 0.6299787005,
    ],
    linear.map((value) => Math.min(Math.max(value, 0), 1)),
  );
  return multiply(
    [
      0.2104542553, 0.793617785, -0.0040720468, 1.9779984951, -2.428592205, 0.4505937099,
      0.0259040371, 0.7827717662, -0.808675766,
    ],
    cones.map(Math.cbrt),
  );
}

function seen(colour: Colour, matrix: readonly number[]): readonly number[] {
  const linear = colour.map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return oklab(multiply(matrix, linear));
}

describe('colours of classes', () => {
  test('are the same for a name in any list and any order', () => {
    expect(classColours(['RBC', 'WBC']).get('RBC')).toEqual([120, 255, 255]);
    expect(classColours(['WBC', 'RBC']).get('RBC')).toEqual([120, 255, 255]);
    expect(classColours(['RBC', 'RBC', 'Platelets']).get('RBC')).toEqual([120, 255, 255]);
  });

  test('are ten before one comes again', () => {
    const used = (count: number) => {
      const names = Array.from({ length: count }, (_, index) => `class ${index}`);
      return new Set([...classColours(names).values()].map(String)).size;
    };
    expect([1, 5, 10, 25].map(used)).toEqual([1, 5, 10, 10]);
    expect(classColours([]).size).toBe(0);
  });

  test.each(Object.entries(simulations))('are told apart with %s', (_name, matrix) => {
    const all = [...classColours(labels).values()].map((colour) => seen(colour, matrix));
    const distances = all.flatMap((a, index) =>
      all.slice(index + 1).map((b) => Math.hypot(...a.map((value, at) => value - (b[at] ?? 0)))),
    );
    expect(distances).toHaveLength(45);
    expect(Math.min(...distances)).toBeGreaterThan(0.12);
  });

  test('have letters on them that can be read', () => {
    expect(readableOn([255, 255, 120])).toEqual([0, 0, 0]);
    expect(readableOn([60, 0, 120])).toEqual([255, 255, 255]);
  });
});

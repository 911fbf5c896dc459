// Operations of the kernel in which an output pixel depends on several pixels.

import { invalidArgument } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { Matrix, Size } from '../transform-boxes.ts';
import { bytesOf } from './copies.ts';
import type { Machine } from './machine.ts';
import type { Colour, Kernel, Pixels } from './operations.ts';
import { gaussianWeights, type TriangleTable, triangleTable, warpPlaces } from './weights.ts';

type FilterOperations = Pick<Kernel, 'resample' | 'warp' | 'blur'>;

export function filterOperations(machine: Machine): FilterOperations {
  return {
    resample: (pixels, size) => resampled(machine, pixels, size),
    warp: (pixels, matrix, size, colour) => warped(machine, pixels, matrix, size, colour),
    blur: (pixels, sigma) => blurred(machine, pixels, sigma),
  };
}

function resampled(machine: Machine, pixels: Pixels, { width, height }: Size): Pixels {
  const result = machine.allocatePixels({ width, height });
  if (width * height === 0) return result;
  if (pixels.width * pixels.height === 0) {
    throw invalidArgument('pixels', 'an image without pixels cannot be enlarged');
  }
  if (pixels.width === width && pixels.height === height) return copyInto(machine, pixels, result);
  if (pixels.height === height) return resampledRows(machine, pixels, result);
  return machine.withScratch(() => {
    if (pixels.width === width) return resampledColumns(machine, pixels, result);
    const between = machine.allocatePixels({ width, height: pixels.height });
    return resampledColumns(machine, resampledRows(machine, pixels, between), result);
  });
}

function copyInto(machine: Machine, pixels: Pixels, result: Pixels): Pixels {
  machine.call.copyRows(pixels.pointer, 0, result.pointer, 0, bytesOf(pixels), 1);
  return result;
}

function resampledRows(machine: Machine, pixels: Pixels, result: Pixels): Pixels {
  const table = triangleTable(pixels.width, result.width);
  return machine.withScratch(() => {
    machine.call.resampleRows(
      ...[pixels.pointer, pixels.width, result.pointer, result.width, result.height],
      ...placeTable(machine, table),
    );
    return result;
  });
}

function resampledColumns(machine: Machine, pixels: Pixels, result: Pixels): Pixels {
  const table = triangleTable(pixels.height, result.height);
  return machine.withScratch(() => {
    machine.call.resampleColumns(
      ...[pixels.pointer, pixels.width, pixels.height, result.pointer, result.height],
      ...placeTable(machine, table),
    );
    return result;
  });
}

function placeTable(machine: Machine, { entries, count, bits }: TriangleTable) {
  const pointer = machine.allocate(entries.length);
  machine.view(pointer, entries.length).set(entries);
  return [pointer, count, bits];
}

function warped(
  machine: Machine,
  pixels: Pixels,
  matrix: Matrix,
  size: Size,
  colour: Colour,
): Pixels {
  const result = machine.allocatePixels(size);
  const places = warpPlaces(matrix);
  if (places === undefined) {
    machine.call.fill(result.pointer, size.width * size.height, ...colour);
    return result;
  }
  machine.call.warp(
    ...[pixels.pointer, pixels.width, pixels.height],
    ...[result.pointer, result.width, result.height],
    ...places,
    ...colour,
  );
  return result;
}

function blurred(machine: Machine, pixels: Pixels, sigma: number): Pixels {
  if (!(sigma >= 0 && sigma <= limits.imageSideMax)) {
    throw invalidArgument('sigma', `must be from 0 to ${limits.imageSideMax} pixels`);
  }
  const result = machine.allocatePixels(pixels);
  const { centre, pairs, reach } = gaussianWeights(sigma);
  if (pairs.length === 0 || bytesOf(pixels) === 0) return copyInto(machine, pixels, result);
  const count = pairs.length / 2;
  const { call } = machine;
  return machine.withScratch(() => {
    const bytes = new Uint8Array(pairs.buffer);
    const weights = machine.allocate(bytes.length);
    machine.view(weights, bytes.length).set(bytes);
    const scratch = machine.allocate(call.blurScratch(pixels.width, reach, count));
    call.blur(
      ...[pixels.pointer, result.pointer, pixels.width, pixels.height],
      ...[centre, weights, count, reach, scratch],
    );
    return result;
  });
}

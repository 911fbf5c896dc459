// Operations of the kernel in which an output pixel depends on several pixels.

import { invalidArgument } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { Matrix, Size } from '../transform-boxes.ts';
import { bytesOf } from './copy-operations.ts';
import { gaussianWeights, type TriangleTable, triangleTable, warpPlaces } from './fixed-point.ts';
import type { Colour, Kernel, Pixels } from './operations.ts';
import type { WasmInstance } from './wasm-instance.ts';

type FilterOperations = Pick<Kernel, 'resample' | 'warp' | 'blur'>;

export function filterOperations(wasm: WasmInstance): FilterOperations {
  return {
    resample: (pixels, size) => resampled(wasm, pixels, size),
    warp: (pixels, matrix, size, colour) => warped(wasm, pixels, matrix, size, colour),
    blur: (pixels, sigma) => blurred(wasm, pixels, sigma),
  };
}

function resampled(wasm: WasmInstance, pixels: Pixels, { width, height }: Size): Pixels {
  const result = wasm.allocatePixels({ width, height });
  if (width * height === 0) return result;
  if (pixels.width * pixels.height === 0) {
    throw invalidArgument('pixels', 'an image without pixels cannot be enlarged');
  }
  if (pixels.width === width && pixels.height === height) return copyInto(wasm, pixels, result);
  if (pixels.height === height) return resampledRows(wasm, pixels, result);
  return wasm.withScratch(() => {
    if (pixels.width === width) return resampledColumns(wasm, pixels, result);
    const between = wasm.allocatePixels({ width, height: pixels.height });
    return resampledColumns(wasm, resampledRows(wasm, pixels, between), result);
  });
}

function copyInto(wasm: WasmInstance, pixels: Pixels, result: Pixels): Pixels {
  wasm.call.copyRows(pixels.pointer, 0, result.pointer, 0, bytesOf(pixels), 1);
  return result;
}

function resampledRows(wasm: WasmInstance, pixels: Pixels, result: Pixels): Pixels {
  const table = triangleTable(pixels.width, result.width);
  return wasm.withScratch(() => {
    wasm.call.resampleRows(
      ...[pixels.pointer, pixels.width, result.pointer, result.width, result.height],
      ...placeTable(wasm, table),
    );
    return result;
  });
}

function resampledColumns(wasm: WasmInstance, pixels: Pixels, result: Pixels): Pixels {
  const table = triangleTable(pixels.height, result.height);
  return wasm.withScratch(() => {
    wasm.call.resampleColumns(
      ...[pixels.pointer, pixels.width, pixels.height, result.pointer, result.height],
      ...placeTable(wasm, table),
    );
    return result;
  });
}

function placeTable(wasm: WasmInstance, { entries, count, bits }: TriangleTable) {
  const pointer = wasm.allocate(entries.length);
  wasm.view(pointer, entries.length).set(entries);
  return [pointer, count, bits];
}

function warped(
  wasm: WasmInstance,
  pixels: Pixels,
  matrix: Matrix,
  size: Size,
  colour: Colour,
): Pixels {
  const result = wasm.allocatePixels(size);
  const places = warpPlaces(matrix);
  if (places === undefined) {
    wasm.call.fill(result.pointer, size.width * size.height, ...colour);
    return result;
  }
  wasm.call.warp(
    ...[pixels.pointer, pixels.width, pixels.height],
    ...[result.pointer, result.width, result.height],
    ...places,
    ...colour,
  );
  return result;
}

function blurred(wasm: WasmInstance, pixels: Pixels, sigma: number): Pixels {
  if (!(sigma >= 0 && sigma <= limits.imageSideMax)) {
    throw invalidArgument('sigma', `must be from 0 to ${limits.imageSideMax} pixels`);
  }
  const result = wasm.allocatePixels(pixels);
  const { centre, pairs, reach } = gaussianWeights(sigma);
  if (pairs.length === 0 || bytesOf(pixels) === 0) return copyInto(wasm, pixels, result);
  const count = pairs.length / 2;
  const { call } = wasm;
  return wasm.withScratch(() => {
    const bytes = new Uint8Array(pairs.buffer);
    const weights = wasm.allocate(bytes.length);
    wasm.view(weights, bytes.length).set(bytes);
    const scratch = wasm.allocate(call.blurScratch(pixels.width, reach, count));
    call.blur(
      ...[pixels.pointer, result.pointer, pixels.width, pixels.height],
      ...[centre, weights, count, reach, scratch],
    );
    return result;
  });
}

// Operations of the kernel that move pixels without changing them.

import { invalidArgument } from '../../errors.ts';
import type { Turn } from '../orientation.ts';
import type { Colour, Kernel, Pixels, Region } from './operations.ts';
import type { WasmInstance } from './wasm-instance.ts';

type CopyOperations = Pick<
  Kernel,
  'keep' | 'load' | 'read' | 'bytes' | 'blank' | 'turn' | 'crop' | 'paste'
>;

export function copyOperations(wasm: WasmInstance): CopyOperations {
  const bytes = (pixels: Pixels) => wasm.view(pixels.pointer, bytesOf(pixels));
  return {
    keep: (mark, pixels) => {
      wasm.release(mark);
      if (pixels.pointer < mark) return pixels;
      const kept = wasm.allocatePixels(pixels);
      const length = bytesOf(pixels);
      // From one part of memory to another, as memmove does.
      wasm.call.copyRows(pixels.pointer, 0, kept.pointer, 0, length, 1);
      return kept;
    },
    load: (image) => {
      const pixels = wasm.allocatePixels(image);
      if (image.data.length !== bytesOf(pixels)) {
        throw invalidArgument('image', 'must have three bytes for each of its pixels');
      }
      bytes(pixels).set(image.data);
      return pixels;
    },
    read: (pixels) => ({
      data: bytes(pixels).slice(),
      width: pixels.width,
      height: pixels.height,
    }),
    bytes,
    blank: (size, colour) => {
      const pixels = wasm.allocatePixels(size);
      fill(wasm, pixels, colour);
      return pixels;
    },
    turn: (pixels, turn) => turned(wasm, pixels, turn),
    crop: (pixels, region) => {
      checkRegion(pixels, region);
      const { width, height } = region;
      const part = wasm.allocatePixels({ width, height });
      copyPart(wasm, pixels, region, part, { left: 0, top: 0 });
      return part;
    },
    paste: (onto, pixels, left, top) => {
      if (!Number.isInteger(left) || !Number.isInteger(top)) {
        throw invalidArgument('left, top', 'must be whole numbers');
      }
      const from = { left: Math.max(-left, 0), top: Math.max(-top, 0) };
      const to = { left: Math.max(left, 0), top: Math.max(top, 0) };
      const width = Math.min(pixels.width - from.left, onto.width - to.left);
      const height = Math.min(pixels.height - from.top, onto.height - to.top);
      if (width <= 0 || height <= 0) return;
      copyPart(wasm, pixels, { ...from, width, height }, onto, to);
    },
  };
}

/** The size of an image in memory. */
export function bytesOf({ width, height }: Pixels): number {
  return width * height * 3;
}

function checkRegion(pixels: Pixels, { left, top, width, height }: Region): void {
  const whole = [left, top, width, height].every((side) => Number.isInteger(side) && side >= 0);
  if (!whole || left + width > pixels.width || top + height > pixels.height) {
    const size = `${pixels.width} x ${pixels.height}`;
    throw invalidArgument('region', `must be whole numbers within ${size} pixels`);
  }
}

function fill(wasm: WasmInstance, pixels: Pixels, [red, green, blue]: Colour): void {
  wasm.call.fill(pixels.pointer, pixels.width * pixels.height, red, green, blue);
}

type Corner = Pick<Region, 'left' | 'top'>;

function copyPart(
  wasm: WasmInstance,
  source: Pixels,
  region: Region,
  target: Pixels,
  to: Corner,
): void {
  wasm.call.copyRows(
    addressOf(source, region),
    source.width * 3,
    addressOf(target, to),
    target.width * 3,
    region.width * 3,
    region.height,
  );
}

function addressOf({ pointer, width }: Pixels, { left, top }: Corner): number {
  return pointer + (top * width + left) * 3;
}

function turned(wasm: WasmInstance, pixels: Pixels, { mirrored, quarters }: Turn): Pixels {
  const { width, height, pointer } = pixels;
  const upright = quarters % 2 === 0;
  const result = wasm.allocatePixels(
    upright ? { width, height } : { width: height, height: width },
  );
  const { call } = wasm;
  if (upright) {
    // Half a turn is mirroring and upside down; upside down is copying rows from the last one up.
    const upsideDown = quarters === 2;
    const row = width * 3;
    const first = upsideDown ? pointer + (height - 1) * row : pointer;
    const move = mirrored !== upsideDown ? call.mirrorRows : call.copyRows;
    move(first, upsideDown ? -row : row, result.pointer, row, row, height);
    return result;
  }
  // A column becomes a row, which is as long as the source is high.
  const row = height * 3;
  const clockwise = quarters === 1;
  const columnStep = mirrored === clockwise ? -row : row;
  const rowStep = clockwise ? -3 : 3;
  const start =
    result.pointer + (columnStep < 0 ? (width - 1) * row : 0) + (rowStep < 0 ? row - 3 : 0);
  call.turnQuarter(pointer, width, height, start, columnStep, rowStep);
  return result;
}

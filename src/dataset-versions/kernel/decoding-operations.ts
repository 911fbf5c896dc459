// The operation of the kernel that decodes a JPEG file.

import { type BaselineJpeg, readBaselineJpeg } from './baseline-jpeg.ts';
import type { Kernel, Pixels } from './operations.ts';
import type { WasmInstance } from './wasm-instance.ts';

type DecodingOperations = Pick<Kernel, 'decodeJpeg'>;

export function decodingOperations(wasm: WasmInstance): DecodingOperations {
  return {
    decodeJpeg: (bytes) => {
      const jpeg = readBaselineJpeg(bytes);
      if (jpeg === undefined || !mayHold(bytes, jpeg)) return undefined;
      const mark = wasm.mark();
      const pixels = wasm.allocatePixels(jpeg);
      if (wasm.withScratch(() => decodeInto(wasm, bytes, jpeg, pixels))) return pixels;
      wasm.release(mark);
      return undefined;
    },
  };
}

/** Values of a component, row by row, in whole groups of blocks. */
interface Plane {
  readonly pointer: number;
  readonly stride: number;
  /** Blocks of a group, to the right and down. */
  readonly across: number;
  readonly down: number;
}

/** Whether the file has a bit for each code: a block has two at least. Else little takes much. */
function mayHold(bytes: Uint8Array, jpeg: BaselineJpeg): boolean {
  const { columns, rows } = groupsOf(jpeg);
  const blocks = columns * rows * (jpeg.across * jpeg.down + 2);
  return 2 * blocks <= 8 * (bytes.length - jpeg.scan);
}

/** Groups of blocks in a row, and rows of them. */
function groupsOf({ width, height, across, down }: BaselineJpeg) {
  return { columns: Math.ceil(width / (8 * across)), rows: Math.ceil(height / (8 * down)) };
}

/** False where the scan is not as it should be. */
function decodeInto(
  wasm: WasmInstance,
  bytes: Uint8Array,
  jpeg: BaselineJpeg,
  pixels: Pixels,
): boolean {
  const { width, height, across, down } = jpeg;
  const { columns, rows } = groupsOf(jpeg);
  const plane = (wide: number, high: number): Plane => {
    const stride = columns * wide * 8;
    return { pointer: wasm.allocate(stride * rows * high * 8), stride, across: wide, down: high };
  };
  const [luma, cb, cr] = [plane(across, down), plane(1, 1), plane(1, 1)];
  const file = wasm.allocate(bytes.length);
  const components = placeComponents(wasm, file, jpeg, [luma, cb, cr]);
  wasm.view(file, bytes.length).set(bytes);
  const { call } = wasm;
  const { scan, restartInterval } = jpeg;
  const scratch = wasm.allocate(call.decodeScratch());
  const isRead = call.decodeScan(
    ...[file + scan, bytes.length - scan, components],
    ...[columns, rows, restartInterval, scratch],
  );
  if (isRead === 0) return false;
  const size = { width: Math.ceil(width / across), height: Math.ceil(height / down) };
  call.upsample(
    ...[luma.pointer, luma.stride, cb.pointer, cr.pointer, cb.stride, size.width, size.height],
    ...[across, down, pixels.pointer, width, height],
    wasm.allocate(call.upsampleScratch(size.width)),
  );
  return true;
}

/** As assembly/jpeg-decoder/decode-scan.ts reads them: eight numbers each. `file`: its address. */
function placeComponents(
  wasm: WasmInstance,
  file: number,
  jpeg: BaselineJpeg,
  planes: readonly Plane[],
): number {
  const values = jpeg.components.flatMap(({ steps, dcCodes, acCodes }, index) => {
    const { pointer = 0, stride = 0, across = 0, down = 0 } = planes[index] ?? {};
    return [pointer, stride, across, down, file + steps, file + dcCodes, file + acCodes, 0];
  });
  const bytes = new Uint8Array(Uint32Array.from(values).buffer);
  const pointer = wasm.allocate(bytes.length);
  wasm.view(pointer, bytes.length).set(bytes);
  return pointer;
}

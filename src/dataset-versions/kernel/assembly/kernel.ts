// The pixel operations in WebAssembly (AssemblyScript). Memory is managed by the caller: every image
// starts at a multiple of 16 and has 64 bytes behind it that may be read and written.

export { blur, blurScratch } from './blur';
export { add, lookup, mix, rotateHue } from './colour';
export { copyRows, fill, mirrorRows, turnQuarter } from './copy';
export { encodeJpeg } from './jpeg';
export { resampleColumns, resampleRows } from './resample';
export { warp } from './warp';

/** Where the memory is free from. */
export function freeMemory(): usize {
  return __heap_base;
}

// The pixel operations in WebAssembly (AssemblyScript). Memory is managed by the caller: every image
// starts at a multiple of 16 and has 64 bytes behind it that may be read and written.
//
// Constant vectors of inner loops are in memory (`memory.data`), as compilers for SIMD place them:
// processors cannot hold them in an instruction, and loading is faster than building them.

export { blur, blurScratch } from './blur';
export { add, lookup, mix, rotateHue } from './colour';
export { copyRows, fill, mirrorRows, turnQuarter } from './copy';
export { encodeJpeg } from './jpeg';
export { decodeScan, decodeScratch } from './jpeg-decoder/decode-scan';
export { upsample, upsampleScratch } from './jpeg-decoder/upsample';
export { resampleColumns, resampleRows } from './resample';
export { warp } from './warp';

/** The first address that no table uses. */
export function freeMemory(): usize {
  return __heap_base;
}

// The size of the images that an AVIF file has stored: a crop makes the size that a decoder
// reports smaller, but all pixels are decoded.

/**
 * The pixels of the largest image that an AVIF file declares (`ispe`, ISO/IEC 23008-12 section
 * 6.5.3): coded images, tiles and the grid that they make. 0 where it declares no size.
 */
export function largestAvifImage(bytes: Uint8Array): number {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let largest = 0;
  for (let at = file.indexOf('ispe'); at !== -1; at = file.indexOf('ispe', at + 4)) {
    if (at < 4 || at + 16 > file.length || file.readUInt32BE(at - 4) !== boxBytes) continue;
    largest = Math.max(largest, file.readUInt32BE(at + 8) * file.readUInt32BE(at + 12));
  }
  return largest;
}

/** Size, type, version with flags, width, height. */
const boxBytes = 20;

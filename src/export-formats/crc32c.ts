// CRC-32C (Castagnoli), as in RFC 3720, appendix B.4.

/** The checksum of all pieces, one after the other. */
export function crc32c(pieces: Iterable<Uint8Array>): number {
  let rest = ~0;
  for (const piece of pieces) {
    for (let at = 0; at < piece.length; at++) {
      rest = (table[(rest ^ (piece[at] ?? 0)) & 0xff] ?? 0) ^ (rest >>> 8);
    }
  }
  return ~rest >>> 0;
}

/** What each byte adds; the polynomial is 0x1edc6f41, with its bits reversed. */
const table = Int32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ 0x82f63b78 : rest >>> 1;
  return rest;
});

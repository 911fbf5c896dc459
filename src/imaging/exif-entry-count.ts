// Counts the entries of EXIF in an image file as a reader follows them: a directory of a few
// kilobytes that points at itself keeps a reader busy for minutes.

/**
 * Entries of all EXIF directories, each as often as pointers and links lead to it. Counts no
 * further than `countMax` + 1. EXIF is found by the header of a TIFF file behind its mark, wherever
 * JPEG, PNG, WebP or AVIF keep it.
 */
export function countExifEntries(bytes: Uint8Array, countMax: number): number {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const begin = Math.min(...marks.map((mark) => file.indexOf(mark)).filter((at) => at !== -1));
  if (!Number.isFinite(begin)) return 0;
  let count = 0;
  for (const header of [littleEndian, bigEndian]) {
    for (let at = file.indexOf(header, begin); at !== -1; at = file.indexOf(header, at + 4)) {
      // A header counts too, so that very many of them end this as well.
      count += 1 + countFrom(file.subarray(at), header === littleEndian, countMax - count);
      if (count > countMax) return countMax + 1;
    }
  }
  return count;
}

/** JPEG and AVIF; PNG; WebP. */
const marks = ['Exif', 'eXIf', 'EXIF'];
const littleEndian = Buffer.from('II*\0', 'latin1');
const bigEndian = Buffer.from('MM\0*', 'latin1');

const entryBytes = 12;

function countFrom(exif: Buffer, little: boolean, countMax: number): number {
  const uint16 = (at: number) => (little ? exif.readUInt16LE(at) : exif.readUInt16BE(at));
  const uint32 = (at: number) => (little ? exif.readUInt32LE(at) : exif.readUInt32BE(at));
  const waiting = exif.length >= 8 ? [uint32(4)] : [];
  let count = 0;
  for (let start = waiting.pop(); start !== undefined; start = waiting.pop()) {
    if (start + 2 > exif.length) continue;
    const whole = Math.floor((exif.length - start - 2) / entryBytes);
    const entries = Math.min(uint16(start), whole);
    count += entries;
    if (count > countMax) return count;
    const end = start + 2 + entries * entryBytes;
    for (let at = start + 2; at < end; at += entryBytes) {
      if (directoryTags.has(uint16(at))) waiting.push(uint32(at + 8));
    }
    const next = end + 4 <= exif.length ? uint32(end) : 0;
    if (next !== 0) waiting.push(next);
    // Empty directories in a circle have no entries to count.
    count += 1;
  }
  return count;
}

/** Exif, GPS and interoperability: each points at a directory. */
const directoryTags: ReadonlySet<number> = new Set([0x8769, 0x8825, 0xa005]);

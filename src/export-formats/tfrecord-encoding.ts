// TensorFlow's record file and its Example message, in the wire format of protocol buffers. Bytes
// are never copied: a message is a list of pieces.

export type Pieces = readonly Uint8Array[];

/** One feature of an Example. */
export type Feature =
  | { readonly bytes: readonly (string | Uint8Array)[] }
  | { readonly floats: readonly number[] }
  /** Whole numbers from 0 on. */
  | { readonly integers: readonly number[] };

/** `tf.train.Example`: names to features, in the order of the names. */
export function encodeExample(features: Readonly<Record<string, Feature>>): Pieces {
  const entries = Object.entries(features)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, feature]) =>
      field(1, [...field(1, [Buffer.from(name)]), ...field(2, encodeFeature(feature))]),
    );
  return field(1, entries);
}

/** A record: its length and what it holds, each followed by a masked CRC-32C. */
export function frameRecord(message: Pieces): Pieces {
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(bytesOf(message)));
  return [length, maskedChecksum([length]), ...message, maskedChecksum(message)];
}

/** Lists of numbers are packed, as proto3 does by default. */
function encodeFeature(feature: Feature): Pieces {
  if ('bytes' in feature) {
    return field(
      1,
      feature.bytes.flatMap((value) =>
        field(1, [typeof value === 'string' ? Buffer.from(value) : value]),
      ),
    );
  }
  if ('floats' in feature) return field(2, packed(feature.floats.map(float)));
  return field(3, packed(feature.integers.map(varint)));
}

function packed(values: Pieces): Pieces {
  return values.length === 0 ? [] : field(1, [Buffer.concat(values)]);
}

/** A field with a length: bytes, text, or a message. */
function field(number: number, content: Pieces): Pieces {
  const lengthDelimited = 2;
  const head = [varint((number << 3) | lengthDelimited), varint(bytesOf(content))];
  return [Buffer.concat(head), ...content];
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  return Uint8Array.from([...bytes, rest]);
}

function float(value: number): Uint8Array {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return bytes;
}

function bytesOf(pieces: Pieces): number {
  return pieces.reduce((sum, piece) => sum + piece.length, 0);
}

/** A checksum of data that holds checksums itself is weak, so TensorFlow turns it and adds. */
function maskedChecksum(pieces: Pieces): Uint8Array {
  const sum = crc32c(pieces);
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE((((sum >>> 15) | (sum << 17)) + 0xa282ead8) >>> 0);
  return bytes;
}

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

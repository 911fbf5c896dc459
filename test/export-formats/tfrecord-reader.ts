// Reads TFRecord files for tests. Written from the definitions of the formats alone: the record
// format of TensorFlow, the wire format of protocol buffers, and RFC 3720 for the checksum.

/** A value of a feature: a list of bytes, or of numbers. */
export type FeatureValues = readonly Buffer[] | readonly number[];

/** The Examples of a record file: feature name to values. Throws where a checksum is wrong. */
export function readExamples(file: Buffer): readonly ReadonlyMap<string, FeatureValues>[] {
  const examples: ReadonlyMap<string, FeatureValues>[] = [];
  for (let at = 0; at < file.length; ) {
    const length = Number(file.readBigUInt64LE(at));
    check(file.subarray(at, at + 8), file.readUInt32LE(at + 8));
    const message = file.subarray(at + 12, at + 12 + length);
    check(message, file.readUInt32LE(at + 12 + length));
    examples.push(readExample(message));
    at += 12 + length + 4;
  }
  return examples;
}

/** CRC-32C bit by bit. */
export function slowCrc32c(bytes: Uint8Array): number {
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0x82f63b78 : sum >>> 1;
  }
  return (sum ^ 0xffffffff) >>> 0;
}

function check(bytes: Buffer, masked: number): void {
  const turned = (masked - 0xa282ead8) >>> 0;
  const sum = ((turned >>> 17) | (turned << 15)) >>> 0;
  if (slowCrc32c(bytes) !== sum) throw new Error('a checksum is wrong');
}

interface Field {
  readonly number: number;
  readonly wireType: number;
  readonly bytes: Buffer;
}

function readFields(message: Buffer): readonly Field[] {
  const fields: Field[] = [];
  for (let at = 0; at < message.length; ) {
    const [tag, afterTag] = readVarint(message, at);
    const wireType = tag % 8;
    if (wireType !== 2) throw new Error(`wire type ${wireType} in an Example`);
    const [length, start] = readVarint(message, afterTag);
    if (start + length > message.length) throw new Error('a field is cut off');
    const bytes = message.subarray(start, start + length);
    fields.push({ number: Math.floor(tag / 8), wireType, bytes });
    at = start + length;
  }
  return fields;
}

function readVarint(bytes: Buffer, from: number): readonly [value: number, next: number] {
  let value = 0;
  for (let at = from, scale = 1; ; at++, scale *= 128) {
    const byte = bytes.readUInt8(at);
    value += (byte % 128) * scale;
    if (byte < 128) return [value, at + 1];
  }
}

function only(message: Buffer, number: number): Buffer {
  const [field, ...others] = readFields(message).filter((one) => one.number === number);
  if (field === undefined || others.length > 0) throw new Error(`not one field ${number}`);
  return field.bytes;
}

function readExample(message: Buffer): ReadonlyMap<string, FeatureValues> {
  return new Map(
    readFields(only(message, 1)).map(({ bytes }) => [
      only(bytes, 1).toString(),
      readFeature(only(bytes, 2)),
    ]),
  );
}

function readFeature(feature: Buffer): FeatureValues {
  const [list] = readFields(feature);
  if (list === undefined) throw new Error('a feature without a list');
  const values = readFields(list.bytes).map(({ bytes }) => bytes);
  if (list.number === 1) return values;
  const packed = Buffer.concat(values);
  return list.number === 2 ? readFloats(packed) : readIntegers(packed);
}

function readFloats(packed: Buffer): readonly number[] {
  return Array.from({ length: packed.length / 4 }, (_, index) => packed.readFloatLE(index * 4));
}

function readIntegers(packed: Buffer): readonly number[] {
  const values: number[] = [];
  for (let at = 0; at < packed.length; ) {
    const [value, next] = readVarint(packed, at);
    values.push(value);
    at = next;
  }
  return values;
}

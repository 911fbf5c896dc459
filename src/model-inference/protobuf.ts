// Reads protobuf messages field by field, without a schema: the part of it that ONNX files need.

/** One field of a message: a number where the wire has a varint, bytes where it has a length. */
export interface ProtobufField {
  readonly number: number;
  /** Varints above 2^53 lose their lowest digits: nothing that is read here has such. */
  readonly varint: number | undefined;
  /** A view into the message, not a copy. */
  readonly bytes: Uint8Array | undefined;
}

/** A message that ends too early, or is none. */
export class ProtobufError extends Error {}

/**
 * The fields of a message in their order (Protocol Buffers, Encoding). Throws `ProtobufError` where
 * a field reaches over the end, and for groups, which ONNX does not have.
 */
export function* readFields(message: Uint8Array): Generator<ProtobufField> {
  let at = 0;
  const readVarint = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = message[at++];
      if (byte === undefined || scale > 128 ** 9) throw new ProtobufError('a cut number');
      value += (byte % 128) * scale;
      if (byte < 128) return value;
    }
  };
  const take = (length: number): Uint8Array => {
    if (at + length > message.length) throw new ProtobufError('a field over the end');
    at += length;
    return message.subarray(at - length, at);
  };
  while (at < message.length) {
    const key = readVarint();
    const number = Math.floor(key / 8);
    if (number === 0) throw new ProtobufError('a field without a number');
    const wireType = key % 8;
    if (wireType === 0) yield { number, varint: readVarint(), bytes: undefined };
    else if (wireType === 2) yield { number, varint: undefined, bytes: take(readVarint()) };
    else if (wireType === 1 || wireType === 5) {
      take(wireType === 1 ? 8 : 4);
      yield { number, varint: undefined, bytes: undefined };
    } else throw new ProtobufError('an unknown kind of field');
  }
}

/** The text of a field of bytes; empty for others. */
export function textOf({ bytes }: ProtobufField): string {
  return bytes === undefined ? '' : new TextDecoder().decode(bytes);
}

// Multipart bodies, damaged at every place of their boundaries, headers and ends: always the same.

import { clip, filePart, longClip, part } from '../conformance/samples.ts';

export interface DamagedBody {
  /** What was done, and where: for the message of a test that fails. */
  readonly name: string;
  /** The body in the pieces in which it is sent. */
  readonly pieces: readonly Buffer[];
}

const lineEnd = Buffer.from('\r\n');
const end = Buffer.from('\r\n--XX--\r\n');
const label = part('name="label"', 'left');

/** A file in one piece of the parser, and one that is stored before its end has come. */
const contents = [clip.slice(0, 700), longClip(150_000)];

/** What can happen to the bytes around a place. */
const damages: Readonly<Record<string, (whole: Buffer, at: number) => Buffer>> = {
  'cut off': (whole, at) => whole.subarray(0, at),
  'one byte lost': (whole, at) => Buffer.concat([whole.subarray(0, at), whole.subarray(at + 1)]),
  'eight bytes lost': (whole, at) => Buffer.concat([whole.subarray(0, at), whole.subarray(at + 8)]),
  'one byte twice': (whole, at) => Buffer.concat([whole.subarray(0, at + 1), whole.subarray(at)]),
  'a bit turned': (whole, at) => replaced(whole, at, [(whole[at] ?? 0) ^ 1]),
  'a zero byte': (whole, at) => replaced(whole, at, [0]),
  'a line end': (whole, at) => inserted(whole, at, '\r\n'),
  'an empty line': (whole, at) => inserted(whole, at, '\r\n\r\n'),
  'a boundary': (whole, at) => inserted(whole, at, '\r\n--XX\r\n'),
  'an end': (whole, at) => inserted(whole, at, '\r\n--XX--\r\n'),
};

/** Over 5,000 bodies. */
export function damagedBodies(): readonly DamagedBody[] {
  return contents.flatMap((content) => {
    const file = filePart(content);
    const before = Buffer.concat([label, lineEnd, file, end]);
    const after = Buffer.concat([file, lineEnd, label, end]);
    const head = file.length - content.length;
    const labelled = label.length + lineEnd.length;
    return [
      ...damagedAt('label first', before, framing(before, labelled + head, content.length)),
      ...damagedAt('file first', after, framing(after, head, content.length)),
    ];
  });
}

/** All places but those within the content, of which the first and last ones are enough. */
function framing(whole: Buffer, contentFrom: number, length: number): readonly number[] {
  const contentTo = contentFrom + length;
  return [...whole.keys()].filter((at) => at <= contentFrom || at >= contentTo - 2);
}

function damagedAt(form: string, whole: Buffer, places: readonly number[]): readonly DamagedBody[] {
  return places.flatMap((at) =>
    Object.entries(damages).map(([damage, inflict], index) => {
      const body = inflict(whole, at);
      // Every second one comes in two pieces, so that the place may be the end of the first.
      const isSplit = (at + index) % 2 === 0 && at > 0 && at < body.length;
      const pieces = isSplit ? [body.subarray(0, at), body.subarray(at)] : [body];
      return { name: `${whole.length} bytes, ${form}: ${damage} at ${at}`, pieces };
    }),
  );
}

function replaced(whole: Buffer, at: number, bytes: readonly number[]): Buffer {
  return Buffer.concat([whole.subarray(0, at), Buffer.from(bytes), whole.subarray(at + 1)]);
}

function inserted(whole: Buffer, at: number, text: string): Buffer {
  return Buffer.concat([whole.subarray(0, at), Buffer.from(text), whole.subarray(at)]);
}

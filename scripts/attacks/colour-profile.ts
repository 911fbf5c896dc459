// A PNG whose colour profile maps every pixel by a table: applying it takes far longer than reading
// the pixels.

import { deflateSync } from 'node:zlib';
import { blackPng, chunk, differing, withChunks } from './image-bytes.ts';

/** The largest PNG, with such a profile: of few bytes, and other ones each time. */
export function slowPng(): Buffer {
  const size = { width: 16_400, height: 10_900 };
  return differing(withTableProfile(blackPng({ ...size, bits: 8, colour: 2, interlaced: false })));
}

function withTableProfile(png: Uint8Array): Buffer {
  const named = Buffer.from('a\0\0', 'latin1');
  return withChunks(png, [chunk('iCCP', Buffer.concat([named, deflateSync(tableProfile())]))]);
}

/** ICC.1 section 7.2: a display profile from RGB to Lab, with the fewest tags that it may have. */
function tableProfile(): Buffer {
  const tags: readonly (readonly [string, Buffer])[] = [
    ['desc', description()],
    ['cprt', Buffer.from('text\0\0\0\0a\0\0\0', 'latin1')],
    ['wtpt', whitePoint()],
    ['A2B0', table()],
  ];
  const list = Buffer.alloc(4 + 12 * tags.length);
  list.writeUInt32BE(tags.length, 0);
  let at = 128 + list.length;
  for (const [index, [name, content]] of tags.entries()) {
    list.write(name, 4 + 12 * index, 'latin1');
    list.writeUInt32BE(at, 8 + 12 * index);
    list.writeUInt32BE(content.length, 12 + 12 * index);
    at += content.length;
  }
  const head = Buffer.alloc(128);
  head.writeUInt32BE(at, 0);
  head.writeUInt32BE(0x02400000, 8);
  head.write('mntrRGB Lab ', 12, 'latin1');
  head.write('acsp', 36, 'latin1');
  writeD50(head, 68);
  return Buffer.concat([head, list, ...tags.map(([, content]) => content)]);
}

/** Points of the table along each colour: every pixel is interpolated between eight of them. */
const gridPoints = 3;
const curvePoints = 256;

/** ICC.1 section 10.10 (`mft2`): curves in, the table, curves out, each value of 16 bits. */
function table(): Buffer {
  const head = Buffer.alloc(52);
  head.write('mft2', 'latin1');
  head.set([3, 3, gridPoints], 8);
  for (const diagonal of [0, 4, 8]) head.writeInt32BE(65_536, 12 + diagonal * 4);
  head.writeUInt16BE(curvePoints, 48);
  head.writeUInt16BE(curvePoints, 50);
  const straight = numbers(3 * curvePoints, (at) => (at % curvePoints) * 257);
  const points = numbers(3 * gridPoints ** 3, (at) => (at * 2_641) % 65_280);
  const whole = Buffer.concat([head, straight, points, straight]);
  return Buffer.concat([whole, Buffer.alloc(-whole.length & 3)]);
}

function numbers(count: number, valueAt: (at: number) => number): Buffer {
  const bytes = Buffer.alloc(2 * count);
  for (let at = 0; at < count; at += 1) bytes.writeUInt16BE(valueAt(at), 2 * at);
  return bytes;
}

function description(): Buffer {
  const bytes = Buffer.alloc(100);
  bytes.write('desc', 'latin1');
  bytes.writeUInt32BE(2, 8);
  bytes.write('a\0', 12, 'latin1');
  return bytes;
}

function whitePoint(): Buffer {
  const bytes = Buffer.alloc(20);
  bytes.write('XYZ ', 'latin1');
  writeD50(bytes, 8);
  return bytes;
}

/** The light that profiles connect in, as three numbers with 16 bits behind the point. */
function writeD50(bytes: Buffer, at: number): void {
  for (const [index, value] of [0xf6d6, 0x10000, 0xd32d].entries()) {
    bytes.writeInt32BE(value, at + 4 * index);
  }
}
